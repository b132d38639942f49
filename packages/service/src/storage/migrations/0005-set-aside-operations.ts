import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // An operation whose set could not be settled is set aside, to be settled alone: it is in processing, and no
  // longer in the queue.
  await sql`
    create index operations_set_aside on operations (sequence) where status = 'processing'`.execute(db);
}
