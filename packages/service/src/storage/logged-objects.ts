import type { AuditEntry, Operation } from '@badge/protocol';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { PERSON_OF_INVITATION } from './recipients.ts';

/** The ids of what a page of the audit log is about. */
export interface LoggedIds {
  operationIds: string[];
  tokenIds: number[];
  claimLinkIds: string[];
  invitationIds: string[];
  recipientIds: string[];
  apiKeyIds: string[];
  webhookIds: string[];
  nftTypes: { communityId: string; nftTypeId: string }[];
  communityIds: string[];
}

/** What is known now about the object of an entry. A value that the object does not have is null. */
export interface LoggedObjectRow {
  resource_type: AuditEntry['resourceType'];
  id: string;
  /** Only of an NFT type, whose id is unique in its community. */
  community_id: string | null;
  name: string | null;
  token_id: number | null;
  headline: string | null;
  /** Who had the token, or gets it. */
  address: Address | null;
  /** To whom the token was moved. */
  to_address: Address | null;
  operation_status: Operation['status'] | null;
  /** The e-mail of the person, which is the name. Encrypted for `person_key`. */
  email: Buffer | null;
  person_key: Buffer | null;
}

/**
 * Finds the objects of a page of the audit log, in no particular order and by one statement. Those that are
 * deleted are missing, unless their row is kept. A reservation does not say whom it is for: the community
 * does not learn it.
 */
export async function findLoggedObjects(db: Database, ids: LoggedIds): Promise<LoggedObjectRow[]> {
  // Only requests with an address are read: others can be large. A claim, an airdrop or a burn that has
  // succeeded has lost its request, so the row in `claims` says the address. prepared-statements.ts says why
  // look-ups have a `limit`, and why arrays are in a `(select …)`.
  const { rows } = await prepared<LoggedObjectRow>`
    with object as (
      select 'operation' as resource_type, o.operation_id::text as id, null::text as community_id, null::text as name,
        case when o.operation_type not in ('export', 'import') then
          coalesce(o.resource_id, (r.request->>'tokenId')::bigint)
        end as token_id,
        coalesce(
          decode(r.request->>'address', 'hex'), ended.address,
          case when o.operation_type <> 'move' then claimed.address end
        ) as address,
        case when o.operation_type = 'move' then
          coalesce(decode(r.request->>'toAddress', 'hex'), claimed.address)
        end as to_address,
        o.status as operation_status, null::bytea as email, null::bytea as person_key
      from unnest((select ${ids.operationIds}::uuid[])) as wanted (id)
      cross join lateral (select * from operations o where o.operation_id = wanted.id limit 1) o
      cross join lateral (
        select case
          when o.operation_type not in ('createToken', 'addContributors', 'removeContributors', 'renew') then o.request
        end as request
      ) r
      left join lateral (select address from claims c where c.operation_id = o.operation_id limit 1) claimed on true
      left join lateral (select address from claims c where c.burn_operation_id = o.operation_id limit 1) ended on true
      union all
      select 'token', wanted.id::text, null, null, wanted.id, null, null, null, null, null
      from unnest((select ${ids.tokenIds}::bigint[])) as wanted (id)
      union all
      select 'claimLink', l.claim_link_id::text, null, l.identifier, l.token_id, null, null, null,
        i.email, i.person_key
      from unnest((select ${ids.claimLinkIds}::uuid[])) as wanted (id)
      cross join lateral (select * from claim_links l where l.claim_link_id = wanted.id limit 1) l
      left join lateral (
        select p.email, p.person_key from invitations i ${PERSON_OF_INVITATION}
        where i.claim_link_id = l.claim_link_id and i.kind = 'invitation' limit 1
      ) i on true
      union all
      select 'invitation', i.invitation_id::text, null, null, i.token_id, null, null, null, i.email, i.person_key
      from unnest((select ${ids.invitationIds}::uuid[])) as wanted (id)
      cross join lateral (
        select i.invitation_id, i.token_id, p.email, p.person_key from invitations i ${PERSON_OF_INVITATION}
        where i.invitation_id = wanted.id and i.kind = 'invitation' limit 1
      ) i
      union all
      select 'recipient', r.recipient_id::text, null, null, r.token_id, null, null, null, r.email, r.contributor_key
      from unnest((select ${ids.recipientIds}::uuid[])) as wanted (id)
      cross join lateral (select * from recipients r where r.recipient_id = wanted.id limit 1) r
      union all
      select 'apiKey', k.api_key_id::text, null, k.name, null, null, null, null, null, null
      from unnest((select ${ids.apiKeyIds}::uuid[])) as wanted (id)
      cross join lateral (select * from api_keys k where k.api_key_id = wanted.id limit 1) k
      union all
      select 'webhook', w.webhook_id::text, null, w.name, null, null, null, null, null, null
      from unnest((select ${ids.webhookIds}::uuid[])) as wanted (id)
      cross join lateral (select * from webhooks w where w.webhook_id = wanted.id limit 1) w
      union all
      select 'nftType', n.nft_type_id, n.community_id, n.name, null, null, null, null, null, null
      from unnest(
        (select ${ids.nftTypes.map((one) => one.communityId)}::text[]),
        (select ${ids.nftTypes.map((one) => one.nftTypeId)}::text[])
      ) as wanted (community_id, id)
      cross join lateral (
        select * from nft_types n where n.community_id = wanted.community_id and n.nft_type_id = wanted.id limit 1
      ) n
      union all
      select 'community', c.community_id, null, c.name, null, null, null, null, null, null
      from unnest((select ${ids.communityIds}::text[])) as wanted (id)
      cross join lateral (select * from communities c where c.community_id = wanted.id limit 1) c
    )
    select object.*, t.headline
    from object
    left join lateral (select headline from tokens t where t.token_id = object.token_id limit 1) t on true`.execute(
    db,
  );
  return rows;
}
