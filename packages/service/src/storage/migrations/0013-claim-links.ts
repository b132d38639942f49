import { type Kysely, sql } from 'kysely';

// Adds only tables, so processes of the previous release keep working.
export async function up(db: Kysely<unknown>): Promise<void> {
  // The creator's signature of a request that adds entries to the allowlist of an allowlisted token.
  await sql`
    create table claim_link_signatures (
      claim_link_signature_id uuid primary key,
      token_id bigint not null,
      signer bytea not null check (octet_length(signer) = 20),
      signature bytea not null check (octet_length(signature) = 65),
      typed_data_version text not null,
      created_at timestamptz(3) not null default now()
    )`.execute(db);

  // contributor_key is the allowlist entry that a claim with the code uses. Each entry can be used once, so each code
  // can be used once, also in processes of the previous release. A link without an identifier has an entry of its own,
  // even if its token is open; the entry is deleted if the link is revoked. There is no foreign key to the token, because it
  // would look the token up for each link. The statement that inserts links reads their token, and the service deletes no
  // tokens.
  await sql`
    create table claim_links (
      claim_link_id uuid primary key,
      sequence bigint generated always as identity,
      token_id bigint not null,
      contributor_key bytea not null check (octet_length(contributor_key) = 32),
      identifier text,
      code_hash bytea not null unique check (octet_length(code_hash) = 32),
      claim_link_signature_id uuid references claim_link_signatures,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3),
      revoked_at timestamptz(3)
    )`.execute(db);
  await sql`create index claim_links_by_token on claim_links (token_id, sequence)`.execute(db);
}
