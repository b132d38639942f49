import { type Kysely, sql } from 'kysely';

// A process of the previous release writes neither column, so created_by counts too.
export async function up(db: Kysely<unknown>): Promise<void> {
  // url_set_by: the member who has set the URL, to which events go.
  // secret_made_by: the member who has made, and so knows, the secret.
  await sql`
    alter table webhooks
      add column url_set_by bytea check (octet_length(url_set_by) = 20),
      add column secret_made_by bytea check (octet_length(secret_made_by) = 20)`.execute(db);
  await sql`
    update webhooks set url_set_by = created_by, secret_made_by = created_by where created_by is not null`.execute(
    db,
  );
}
