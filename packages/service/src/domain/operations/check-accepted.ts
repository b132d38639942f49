import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';

/** Writes the operation that settles a request later, and answers its id; refuses a key revoked meanwhile. */
export async function checkAccepted(
  context: Context,
  operation: {
    operationType: Operation['operationType'];
    communityId: string;
    caller: Caller | null;
    requestIdentity: Buffer;
    request: object;
  },
): Promise<string> {
  const { operationType, communityId, caller, requestIdentity } = operation;
  const acceptance = await context.acceptOperation({
    operationId: randomUUID(),
    operationType,
    communityId,
    apiKeyId: caller?.kind === 'community' ? caller.apiKeyId : null,
    requestIdentity,
    request: JSON.stringify(operation.request),
  });
  if (acceptance === 'apiKeyInvalid') {
    throw new Refusal('InvalidApiKey', 'The API key is expired or revoked.');
  }
  return acceptance.operationId;
}
