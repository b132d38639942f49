import { type Kysely, sql } from 'kysely';

// Adds links for a room, whose code many people use. Processes of the previous release reject their codes: they look up
// another hash, and such a link has no allowlist entry of its own.
export async function up(db: Kysely<unknown>): Promise<void> {
  // max_claims: null for a link for one claim. claim_count: the claims that were made with the code of a room link.
  // is_used: no claim is left. has_clients: claim_link_clients can have rows of the link.
  await sql`
    alter table claim_links
      add column max_claims integer,
      add column claim_count integer not null default 0,
      add column starts_at timestamptz(3),
      add column paused_at timestamptz(3),
      add column is_signature_required boolean not null default false,
      add column max_claims_per_client integer,
      add column is_used boolean not null default false,
      add column has_clients boolean not null default false`.execute(db);
  await sql`
    alter table claim_links add constraint claim_links_claim_count check (
      case when max_claims is null then claim_count = 0 and max_claims_per_client is null
      else claim_count between 0 and max_claims and max_claims_per_client > 0 and expires_at is not null end
    )`.execute(db);
  await sql`
    update claim_links l set is_used = true where exists (
      select from claims c where c.token_id = l.token_id and c.contributor_key = l.contributor_key
    )`.execute(db);
  // Counts the unused links of a token, and finds the links of an allowlist entry. No further index begins with the token: the
  // planner could use it to read the list of a token's links.
  await sql`
    create index claim_links_unused on claim_links (token_id, expires_at)
    where revoked_at is null and not is_used`.execute(db);
  await sql`create index claim_links_by_entry on claim_links (contributor_key, token_id)`.execute(db);

  // The claims without a signature that each client address has made with the code of a room link. client_hash is keyed
  // with the code, which the database does not contain. The rows are deleted after the end of the link.
  await sql`
    create table claim_link_clients (
      claim_link_id uuid not null,
      client_hash bytea not null check (octet_length(client_hash) = 32),
      claim_count integer not null check (claim_count > 0),
      primary key (claim_link_id, client_hash)
    )`.execute(db);
  await sql`
    create index claim_links_with_clients on claim_links ((least(expires_at, revoked_at))) where has_clients`.execute(
    db,
  );

  // The number of links that the community has ever created. They count in its storage quota.
  await sql`alter table communities add column claim_link_count bigint not null default 0`.execute(db);
  await sql`
    update communities c set claim_link_count = n.links from (
      select t.community_id, count(*) as links from claim_links l join tokens t using (token_id) group by t.community_id
    ) n where c.community_id = n.community_id`.execute(db);
}
