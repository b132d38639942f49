import type { AuditEntry } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import type { AuditEntryRow } from '../../storage/audit-log.ts';
import { findLoggedObjects, type LoggedObjectRow } from '../../storage/logged-objects.ts';
import { isUuid, parseTokenId } from '../ids.ts';
import { decryptPerson } from '../recipients/rules.ts';

/** What is known now about the objects of an entry, and is not recorded in it. */
type KnownNow = Pick<
  AuditEntry,
  'apiKeyName' | 'resourceName' | 'tokenId' | 'headline' | 'ownerAddress' | 'toAddress' | 'operationStatus'
>;

type Objects = ReadonlyMap<string, LoggedObjectRow>;

/**
 * Returns a function that says what is known about an entry of the page. `mayListSecrets`: the names of keys
 * and webhooks, too.
 */
export async function nameObjects(
  { database, encryption }: Pick<Context, 'database' | 'encryption'>,
  entries: AuditEntryRow[],
  mayListSecrets: boolean,
): Promise<(entry: AuditEntryRow) => KnownNow> {
  const idsOf = (type: AuditEntry['resourceType']) =>
    unique(entries.flatMap((entry) => (entry.resource_type === type ? entry.resource_id : [])));
  const uuidsOf = (type: AuditEntry['resourceType']) => idsOf(type).filter(isUuid);
  const rows = await findLoggedObjects(database, {
    operationIds: uuidsOf('operation'),
    tokenIds: idsOf('token').flatMap((id) => parseTokenId(id) ?? []),
    claimLinkIds: uuidsOf('claimLink'),
    invitationIds: uuidsOf('invitation'),
    recipientIds: uuidsOf('recipient'),
    apiKeyIds: mayListSecrets
      ? unique([...uuidsOf('apiKey'), ...entries.flatMap(({ api_key_id: id }) => id ?? [])])
      : [],
    webhookIds: mayListSecrets ? uuidsOf('webhook') : [],
    nftTypes: entries.flatMap(({ resource_type: type, resource_id: nftTypeId, community_id: communityId }) =>
      type === 'nftType' ? { communityId, nftTypeId } : [],
    ),
    communityIds: idsOf('community'),
  });
  const objects: Objects = new Map(
    rows.map((row) => [keyOf(row.resource_type, row.id, row.community_id), row]),
  );

  function nameOf({ name, email, person_key: key }: LoggedObjectRow): string | null {
    if (name !== null || key === null || encryption === null) return name;
    return decryptPerson(encryption, key, { name: null, email, note: null }).email;
  }

  return ({ resource_type: type, resource_id: id, community_id: communityId, api_key_id: apiKeyId }) => {
    const object = objects.get(keyOf(type, id, communityId));
    return {
      apiKeyName: apiKeyId === null ? null : (objects.get(keyOf('apiKey', apiKeyId))?.name ?? null),
      resourceName: object === undefined ? null : nameOf(object),
      tokenId: object?.token_id ?? null,
      headline: object?.headline ?? null,
      ownerAddress: toChecksum(object?.address),
      toAddress: toChecksum(object?.to_address),
      operationStatus: object?.operation_status ?? null,
    };
  };
}

/** The id of an NFT type is unique only in its community. */
function keyOf(type: AuditEntry['resourceType'], id: string, communityId: string | null = null): string {
  return JSON.stringify([type, id, type === 'nftType' ? communityId : null]);
}

function toChecksum(address: LoggedObjectRow['address'] | undefined): string | null {
  return address === null || address === undefined ? null : toChecksumAddress(address);
}

const unique = <Value>(values: Value[]): Value[] => [...new Set(values)];
