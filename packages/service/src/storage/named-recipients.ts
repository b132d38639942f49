import { sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { PersonalFields } from './recipients.ts';
import { mayStillWrite } from './rights.ts';

/** What to say about a person. `undefined`: no change; null: nothing is known any more. */
export type PersonalChanges = { [Field in keyof PersonalFields]: Buffer | null | undefined };

/**
 * Writes what a community says about recipients of a token, and an audit log entry. Returns false, and
 * changes nothing, if the actor has lost its right. The token must be locked.
 */
export async function updateRecipients(
  tx: DatabaseTransaction,
  actor: Actor,
  {
    tokenId,
    action,
    changes,
  }: {
    tokenId: number;
    action: 'setRecipients' | 'updateRecipient';
    changes: (PersonalChanges & { recipientId: string })[];
  },
): Promise<boolean> {
  const columns = (['name', 'email', 'emailHash', 'note'] as const).map((field) => ({
    field: sql.ref(field === 'emailHash' ? 'email_hash' : field),
    values: changes.map((change) => change[field] ?? null),
    isChanged: changes.map((change) => change[field] !== undefined),
  }));
  const given = columns.flatMap(({ values, isChanged }) => [
    sql`${values}::bytea[]`,
    sql`${isChanged}::boolean[]`,
  ]);
  const names = columns.flatMap(({ field }, index) => [field, sql.ref(`is_changed_${index}`)]);
  const sets = columns.map(
    ({ field }, index) =>
      sql`${field} = case when c.${sql.ref(`is_changed_${index}`)} then c.${field} else r.${field} end`,
  );
  const logged =
    action === 'setRecipients'
      ? sql`select token_id, community_id from allowed`
      : sql`select u.recipient_id, a.community_id from updated u cross join allowed a`;
  const { rows } = await sql`
    with allowed as materialized (
      select token_id, community_id from tokens
      where token_id = ${tokenId} and ${mayStillWrite(actor, sql.ref('community_id'))}
    ), updated as (
      update recipients r set ${sql.join(sets)}
      from allowed a cross join unnest(
        ${changes.map(({ recipientId }) => recipientId)}::uuid[], ${sql.join(given)}
      ) as c (recipient_id, ${sql.join(names)})
      cross join lateral (
        select token_id, removed_at from recipients own where own.recipient_id = c.recipient_id limit 1
      ) own
      where r.recipient_id = c.recipient_id and own.token_id = a.token_id and own.removed_at is null
      returning r.recipient_id
    ), logged as (${logged}), recorded as ${insertAuditEntries(actor, action, 'logged')}
    select from allowed`.execute(tx);
  return rows.length > 0;
}

// SQL: whether the identifier of the imported recipient `r` is a hash of the e-mail `e`. 64 and 32 hex digits
// and two `$` are before the salt.
const IS_HASH_OF_EMAIL = sql<boolean>`case split_part(r.identifier, '$', 1)
  when 'sha256' then split_part(r.identifier, '$', 2)
    = encode(sha256(convert_to(e.email || substr(r.identifier, 73), 'UTF8')), 'hex')
  else split_part(r.identifier, '$', 2) = md5(convert_to(e.email || substr(r.identifier, 38), 'UTF8'))
end`;

/**
 * Finds an unused entry of the allowlist for somebody who has proven an e-mail: that of a person with this
 * e-mail, or the entry that is the e-mail, or an imported hash of it, in one of its spellings. If the link or
 * the invitation of the person was revoked, there is none, and if it is the entry of a link, also if the link
 * has expired.
 */
export async function findEntryOfEmail(
  db: Database,
  {
    tokenId,
    emailHash,
    identifierKeys,
    spellings,
  }: { tokenId: number; emailHash: Buffer; identifierKeys: Buffer[]; spellings: string[] },
): Promise<Buffer | null> {
  const columns = sql`r.contributor_key, r.identifier, r.claim_link_id, r.invitation_id, r.sequence`;
  const { rows } = await sql<{ contributor_key: Buffer }>`
    select r.contributor_key from (
      select ${columns} from recipients r
      where r.token_id = ${tokenId} and r.email_hash = ${emailHash} and r.removed_at is null
        and octet_length(r.contributor_key) = 32
      union
      select ${columns} from recipients r
      where r.token_id = ${tokenId} and r.contributor_key = any(${identifierKeys}::bytea[]) and r.removed_at is null
      union
      select ${columns} from recipients r
      join unnest(${spellings}::text[]) as e (email) on ${IS_HASH_OF_EMAIL}
      where r.token_id = ${tokenId} and r.removed_at is null
        and r.way = 'import' and split_part(r.identifier, '$', 1) in ('sha256', 'md5')
    ) r
    join allowlist_entries a on a.token_id = ${tokenId} and a.contributor_key = r.contributor_key
    left join claim_links l using (claim_link_id)
    left join invitations i using (invitation_id)
    where l.revoked_at is null and i.revoked_at is null
      and (r.identifier is not null or (l.claim_link_id is not null and coalesce(l.expires_at > now(), true)))
      and not exists (
        select from claims c where c.token_id = ${tokenId} and c.contributor_key = r.contributor_key
      )
    order by r.sequence limit 1`.execute(db);
  return rows[0]?.contributor_key ?? null;
}

/** A recipient that an entry or an address names. */
export interface NamedRecipient {
  recipient_id: string;
  contributor_key: Buffer;
  /** Whether an invitation has the e-mail, which must not change then. */
  is_invited: boolean;
}

/** SQL: whether an invitation of the recipient `r` holds. */
const IS_INVITED = sql<boolean>`exists (
  select from invitations i
  where i.invitation_id = r.invitation_id and i.email_hash is not null and i.revoked_at is null
)`;

/**
 * Finds the recipient of each contributor key, or of the address that the key is. Undefined if there is none.
 * The creator, who becomes one by being named, must be on the list.
 */
export async function findNamedRecipients(
  tx: DatabaseTransaction,
  tokenId: number,
  contributorKeys: Buffer[],
): Promise<(NamedRecipient | undefined)[]> {
  const { rows } = await sql<NamedRecipient & { position: number }>`
    select k.position, r.recipient_id, r.contributor_key, ${IS_INVITED} as is_invited
    from unnest(${contributorKeys}::bytea[]) with ordinality as k (contributor_key, position)
    cross join lateral (
      select * from (
        (select * from recipients a
         where a.token_id = ${tokenId} and a.address = k.contributor_key
         order by a.removed_at is not null, a.is_former limit 1)
        union all
        (select * from recipients e
         where e.token_id = ${tokenId} and e.contributor_key = k.contributor_key limit 1)
      ) either
      where not is_former and removed_at is null limit 1
    ) r`.execute(tx);
  const byPosition = new Map(rows.map((row) => [Number(row.position), row]));
  return contributorKeys.map((_, index) => byPosition.get(index + 1));
}

/** Finds a recipient of a token by its id. */
export async function findRecipientById(
  tx: DatabaseTransaction,
  { tokenId, recipientId }: { tokenId: number; recipientId: string },
): Promise<(NamedRecipient & { sequence: number }) | undefined> {
  const { rows } = await sql<NamedRecipient & { sequence: number }>`
    select r.recipient_id, r.sequence, r.contributor_key, ${IS_INVITED} as is_invited from recipients r
    where r.recipient_id = ${recipientId}::uuid and r.token_id = ${tokenId} and r.removed_at is null
      and not r.is_former`.execute(tx);
  return rows[0];
}
