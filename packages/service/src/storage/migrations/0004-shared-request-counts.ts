import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Unlogged, because rows live for seconds and may be lost in a crash. `name` is the start of a hash of the policy
  // and of the address or key whose requests are counted.
  await sql`
    create unlogged table request_counts (
      window_number bigint not null,
      name text not null check (length(name) = 22),
      process_id uuid not null,
      requests integer not null check (requests > 0),
      primary key (window_number, name, process_id)
    )`.execute(db);
}
