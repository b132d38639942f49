import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // An operation whose batch failed is isolated (status processing) and settled alone. When this was written, such
  // operations were called set aside.
  await sql`
    create index operations_set_aside on operations (sequence) where status = 'processing'`.execute(db);
}
