import type { ImportFields } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import type { AcceptedOperation } from '../accept-operation.ts';
import { acceptTransfer, checkMayWait } from '../accept-transfer.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { checkNoErrors } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import type { UploadedFile } from '../uploaded-file.ts';
import { readMapping } from './rules.ts';

/** Checks the community and the caller before the body of an upload is read. */
export async function checkMayImport(context: Context, caller: Caller, communityId: string): Promise<void> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  requireEncryption(context);
  await checkMayWait(context.database, communityId);
}

/** Accepts the import of an uploaded file. Call `checkMayImport` first. */
export async function requestImport(
  context: Context,
  caller: Caller,
  {
    communityId,
    fields,
    file,
    key,
  }: {
    communityId: string;
    fields: ImportFields;
    /** With the name that the client has sent. */
    file: UploadedFile & { name: string };
    key: OperationKey | null;
  },
): Promise<AcceptedOperation> {
  const { mapping, errors } = readMapping(fields.format, fields.mapping);
  checkNoErrors(errors);
  const [extension = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(file.name) ?? [];
  const parameters = {
    format: fields.format,
    isDryRun: fields.isDryRun === 'true',
    mapping,
    extension: extension.toLowerCase(),
    importer: caller.kind === 'session' ? caller.address.toString('hex') : null,
  };
  const transfer = { kind: 'import', parameters, file } as const;
  return await acceptTransfer(context, caller, { communityId, transfer, key });
}
