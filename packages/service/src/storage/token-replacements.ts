import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import { moveExpiry } from './expiry.ts';

/** A token, and the one that replaces it. */
export interface TokenReplacement {
  tokenId: number;
  replacementTokenId: number;
}

/** What decides whether a token can be replaced by another one. */
export interface ReplacementState {
  /** The token that has replaced the token already; null if there is none. */
  replaced_by_token_id: number | null;
  is_same_community: boolean;
  is_same_creator: boolean;
  is_same_allowlist_kind: boolean;
  is_same_signature_rule: boolean;
  /** What has replaced the replacement; null if nothing has. */
  replacement_replaced_by: number | null;
  /** Whether the replacement has replaced another token. */
  has_replaced: boolean;
  is_replacement_claimed: boolean;
  /** Whether somebody else than the creator is on the allowlist of the replacement. */
  has_contributors: boolean;
  /** How often the replacement can be claimed. Null for an allowlisted token. */
  replacement_claims_left: number | null;
  /** How often the token was claimed. Null for an allowlisted token. */
  claims_made: number | null;
  /** The addresses that have, or had, the token, and the allowlist entries that no claim has used. */
  people: number;
}

/**
 * Reads the state of a replacement; undefined if one of the tokens does not exist. Counts more than
 * `maxPeople` people no further.
 */
export async function readReplacementState(
  db: Database,
  { tokenId, replacementTokenId }: TokenReplacement,
  maxPeople: number,
): Promise<ReplacementState | undefined> {
  const { rows } = await sql<ReplacementState>`
    select o.replaced_by_token_id,
      o.community_id = n.community_id as is_same_community,
      o.creator = n.creator as is_same_creator,
      o.is_allowlist_required = n.is_allowlist_required as is_same_allowlist_kind,
      o.is_signature_required = n.is_signature_required as is_same_signature_rule,
      n.replaced_by_token_id as replacement_replaced_by,
      exists (select from tokens p where p.replaced_by_token_id = n.token_id) as has_replaced,
      exists (select from claims c where c.token_id = n.token_id) as is_replacement_claimed,
      n.is_allowlist_required and exists (
        select from allowlist_entries a where a.token_id = n.token_id and a.contributor_key <> n.creator
      ) as has_contributors,
      n.remaining_claim_count as replacement_claims_left,
      o.total_claim_count - o.remaining_claim_count as claims_made,
      (select count(*) from (
        (select 1 from claims c where c.token_id = o.token_id limit ${maxPeople + 1}::bigint)
        union all
        (select 1 from allowlist_entries a
         where a.token_id = o.token_id
           and (select true from claims c where c.token_id = a.token_id and c.contributor_key = a.contributor_key) is null
           and (select true from claims c where c.token_id = a.token_id and c.address = a.contributor_key) is null
         limit ${maxPeople + 1}::bigint)
        limit ${maxPeople + 1}::bigint
      ) as person) as people
    from tokens o cross join tokens n
    where o.token_id = ${tokenId} and n.token_id = ${replacementTokenId}`.execute(db);
  return rows[0];
}

// Everything that belongs to a token and moves to its replacement: a statement for each table, in an order
// that the foreign keys allow. Requests for a reservation that nobody has confirmed stay, and are found by
// the token that they were made for.
const MOVES = [
  copyAllowlist,
  copyClaims,
  endClaims,
  hideClaims,
  deleteAllowlist,
  moveClaimLinks,
  moveInvitations,
  joinCreator,
  moveRecipients,
  countRecipients,
  subtractClaims,
  moveExpiry,
];

/**
 * Moves everybody of a token to its replacement, hides the token, and says by which one it was replaced. Both
 * tokens must be locked. Returns how many owners were moved.
 */
export async function replaceToken(tx: DatabaseTransaction, replacement: TokenReplacement): Promise<number> {
  const { tokenId, replacementTokenId } = replacement;
  const { rows } = await sql<{ owners: number }>`
    select count(*) as owners from claims where token_id = ${tokenId} and burnt_at is null`.execute(tx);
  for (const move of MOVES) await move(tx, replacement);
  await sql`
    update tokens set replaced_by_token_id = ${replacementTokenId}::bigint, is_hidden = is_hidden or token_id = ${tokenId},
      replaced_at = coalesce(replaced_at, statement_timestamp())
    where token_id = ${tokenId} or replaced_by_token_id = ${tokenId}`.execute(tx);
  return rows[0]?.owners ?? 0;
}

// The replacement has no entries but that of its creator, who can be on the list of the token too, and those
// of claim links of an open token. In the order of the index, because that is faster.
async function copyAllowlist(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    delete from allowlist_entries own using allowlist_entries a
    where own.token_id = ${replacementTokenId} and a.token_id = ${tokenId} and a.contributor_key = own.contributor_key`.execute(
    tx,
  );
  await sql`
    insert into allowlist_entries (token_id, contributor_key, identifier, ens_name, position, added_at)
    select ${replacementTokenId}::bigint, a.contributor_key, a.identifier, a.ens_name, last.position + a.position, a.added_at
    from allowlist_entries a cross join (
      select coalesce(max(position), 0) as position from allowlist_entries where token_id = ${replacementTokenId}
    ) last
    where a.token_id = ${tokenId}
    order by a.contributor_key`.execute(tx);
}

async function copyClaims(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    insert into claims
      (token_id, address, contributor_key, operation_id, claimed_at, burnt_at, burn_operation_id, ending,
       status_changed_at, moved_from, renewed_until, announced_end)
    select ${replacementTokenId}::bigint, address, contributor_key, operation_id, claimed_at, burnt_at, burn_operation_id,
      ending, status_changed_at, moved_from, renewed_until, announced_end
    from claims where token_id = ${tokenId}
    order by address`.execute(tx);
}

// A trigger revokes the credentials. What was burnt, revoked or moved before stays so.
async function endClaims(tx: DatabaseTransaction, { tokenId }: TokenReplacement): Promise<void> {
  await sql`
    update claims set contributor_key = null, burnt_at = coalesce(burnt_at, statement_timestamp()),
      ending = case when burnt_at is null then 'replaced' else ending end
    where token_id = ${tokenId}`.execute(tx);
}

async function hideClaims(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    insert into hidden_tokens (token_id, address)
    select ${replacementTokenId}::bigint, address from hidden_tokens where token_id = ${tokenId}`.execute(tx);
}

async function deleteAllowlist(tx: DatabaseTransaction, { tokenId }: TokenReplacement): Promise<void> {
  await sql`delete from allowlist_entries where token_id = ${tokenId}`.execute(tx);
}

async function moveClaimLinks(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    update claim_links set token_id = ${replacementTokenId}::bigint, made_for_token_id = coalesce(made_for_token_id, token_id)
    where token_id = ${tokenId}`.execute(tx);
}

async function moveInvitations(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    update invitations set token_id = ${replacementTokenId}::bigint
    where token_id = ${tokenId} and kind <> 'confirmation'`.execute(tx);
}

// The creator can be a recipient of both. The older row stays, with what only the newer one knows.
async function joinCreator(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    with newer as (
      delete from recipients n using recipients o
      where n.token_id = ${replacementTokenId} and o.token_id = ${tokenId} and o.contributor_key = n.contributor_key
      returning n.*
    ), joined as (
      update recipients o set
        name = coalesce(o.name, n.name), email = coalesce(o.email, n.email),
        email_hash = coalesce(o.email_hash, n.email_hash), note = coalesce(o.note, n.note),
        claim_link_id = coalesce(o.claim_link_id, n.claim_link_id),
        invitation_id = coalesce(o.invitation_id, n.invitation_id),
        removed_at = case when n.removed_at is null then null else o.removed_at end
      from newer n where o.token_id = ${tokenId} and o.contributor_key = n.contributor_key
      returning o.recipient_id, n.recipient_id as newer_id
    )
    update invitations i set recipient_id = j.recipient_id from joined j where i.recipient_id = j.newer_id`.execute(
    tx,
  );
}

// Names, e-mails and notes are encrypted for the contributor, so they stay valid.
async function moveRecipients(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`update recipients set token_id = ${replacementTokenId}::bigint where token_id = ${tokenId}`.execute(
    tx,
  );
}

async function countRecipients(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    insert into token_counts as c (token_id, claimed_count, contributor_count, recipient_count)
    select t.token_id, 0, 0, (
      select count(*) from recipients r where r.token_id = t.token_id and r.removed_at is null and not r.is_former
    ) from unnest(array[${tokenId}, ${replacementTokenId}]::bigint[]) as t (token_id)
    order by t.token_id
    on conflict (token_id) do update set recipient_count = excluded.recipient_count`.execute(tx);
}

// Of an open token. The counts of an allowlisted one follow its claims and its allowlist.
async function subtractClaims(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: TokenReplacement,
): Promise<void> {
  await sql`
    update tokens n set remaining_claim_count = n.remaining_claim_count - (o.total_claim_count - o.remaining_claim_count)
    from tokens o
    where n.token_id = ${replacementTokenId} and o.token_id = ${tokenId} and n.remaining_claim_count is not null`.execute(
    tx,
  );
}
