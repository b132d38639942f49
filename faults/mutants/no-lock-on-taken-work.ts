import type { Changes } from './rewrite.ts';
import { TWO_WORKERS } from './two-workers.ts';

/** Two workers take the same operations, and settle them a moment later. */
export const NO_LOCK_ON_TAKEN_WORK: Changes = {
  ...TWO_WORKERS,
  'storage/operations.ts': [
    ['for update skip locked', ''],
    [
      '  if (results.length === 0) return;\n',
      '  if (results.length === 0) return;\n  await sql`select pg_sleep(0.1)`.execute(tx);\n',
    ],
  ],
};
