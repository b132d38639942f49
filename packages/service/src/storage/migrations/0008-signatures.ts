import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The signatures of claims, burns, admin airdrops and added contributors; each signs the message {tokenId}. A request
  // is deleted when it succeeds, but its signatures stay as evidence. Operations of earlier releases have none.
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
  // All existing tokens, and those that processes of earlier releases still create, are signed in the first version of
  // the typed data.
  await sql`alter table tokens add column typed_data_version text not null default 'badge/1'`.execute(db);
}
