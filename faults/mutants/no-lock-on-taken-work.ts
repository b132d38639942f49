import type { Changes } from './rewrite.ts';
import { TWO_WORKERS } from './two-workers.ts';

/** Two workers take the same operations, and settle them a moment later. */
export const NO_LOCK_ON_TAKEN_WORK: Changes = {
  ...TWO_WORKERS,
  'storage/queue.ts': [
    ['for update skip locked\n    ), summed', '), summed'],
    [
      '  if (outcomes.length === 0) return;\n',
      '  if (outcomes.length === 0) return;\n  await sql`select pg_sleep(0.1)`.execute(db);\n',
    ],
  ],
};
