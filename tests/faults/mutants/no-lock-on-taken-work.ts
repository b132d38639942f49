import { dropConstraint, type Mutant } from './mutant.ts';
import { TWO_WORKERS } from './two-workers.ts';

export const NO_LOCK_ON_TAKEN_WORK: Mutant = {
  name: 'no lock on taken work',
  defect: 'Two workers take the same operations and settle them 100 ms later.',
  breaks: 'I2',
  prepareSql: dropConstraint('tokens', 'UNIQUE (operation_id)'),
  changes: {
    ...TWO_WORKERS,
    'storage/queue.ts': [
      ['for update skip locked\n    ) o on true', ') o on true'],
      [
        '  if (outcomes.length === 0) return 0;\n',
        '  if (outcomes.length === 0) return 0;\n  await sql`select pg_sleep(0.1)`.execute(db);\n',
      ],
    ],
  },
};
