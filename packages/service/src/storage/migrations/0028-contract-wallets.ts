import { type Kysely, sql } from 'kysely';

const MAX_SIGNATURE_BYTES = 8 * 1024;

// Adds columns and a table. Processes of the previous release know no contract wallets, and write none of the columns.
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: the chain of the signing domain.
  await sql`
    alter table communities
      add column contract_wallet_chain_id bigint check (contract_wallet_chain_id > 0)`.execute(db);

  // evidence: what the contract of the signer has confirmed, as {method, chainId, blockNumber, blockHash}; null if the
  // signer's key has signed. The signature of a contract wallet has any length. The stored rows are not checked again.
  for (const table of ['signatures', 'claim_link_signatures']) {
    await sql`
      alter table ${sql.ref(table)}
        drop constraint ${sql.ref(`${table}_signature_check`)},
        add column evidence jsonb,
        add constraint ${sql.ref(`${table}_signature_check`)} check (
          octet_length(signature) = 65
          or (evidence is not null and octet_length(signature) <= ${sql.lit(MAX_SIGNATURE_BYTES)})
        ) not valid`.execute(db);
  }
  await sql`alter table tokens add column evidence jsonb`.execute(db);
  await sql`alter table sessions add column evidence jsonb`.execute(db);

  await sql`alter table operations add column warnings jsonb`.execute(db);

  // The name that was added for an address. It does not change if the name later belongs to another address.
  await sql`alter table allowlist_entries add column ens_name text`.execute(db);
  await sql`
    create index allowlist_entries_by_ens_name on allowlist_entries (token_id, ens_name)
    where ens_name is not null`.execute(db);

  // The primary names of addresses, and which addresses are to be looked up. name is null if the address has none, and also
  // before it was looked up. leased_until: a worker is looking it up.
  await sql`
    create table ens_names (
      address bytea primary key check (octet_length(address) = 20),
      name text,
      looked_up_at timestamptz(3),
      wanted_at timestamptz(3) not null default now(),
      leased_until timestamptz(3)
    )`.execute(db);
  await sql`create index ens_names_by_look_up on ens_names (looked_up_at nulls first)`.execute(db);
}
