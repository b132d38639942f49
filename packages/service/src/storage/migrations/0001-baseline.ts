import { readFileSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';

// In an order in which each file refers to the tables of earlier ones only.
const NOUNS = [
  'deployment',
  'communities',
  'holders',
  'requests',
  'nft-types',
  'transfers',
  'operations',
  'tokens',
  'claims',
  'claim-links',
  'recipients',
  'token-changes',
  'events',
  'webhooks',
  'mails',
  'credentials',
  'ens-names',
  'audit-log',
];

/** The tables of 1.0.0. Each file has the tables of a noun, with their indexes and triggers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const noun of NOUNS) {
    await sql.raw(readFileSync(new URL(`baseline/${noun}.sql`, import.meta.url), 'utf8')).execute(db);
  }
}
