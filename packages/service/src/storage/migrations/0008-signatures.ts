import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The signatures of claims, burns, admin airdrops and added contributors, each over {tokenId}. Requests are deleted
  // when they are settled; this evidence stays. Operations of earlier releases have none.
  await sql`
    create table signatures (
      operation_id uuid not null references operations,
      primary_type text not null,
      token_id bigint not null,
      signer bytea not null check (octet_length(signer) = 20),
      signature bytea not null check (octet_length(signature) = 65),
      typed_data_version text not null,
      primary key (operation_id, primary_type)
    )`.execute(db);
  // All tokens so far, and those of processes of earlier releases, were signed with the first version.
  await sql`alter table tokens add column typed_data_version text not null default 'badge/1'`.execute(db);
}
