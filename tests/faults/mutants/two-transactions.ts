import type { Mutant } from './mutant.ts';

export const TWO_TRANSACTIONS: Mutant = {
  name: 'two transactions',
  defect: 'Tokens and claims are committed 50 ms before their operations become final.',
  breaks: 'I7',
  changes: {
    'storage/queue.ts': [
      [
        '  if (outcomes.length === 0) return 0;\n',
        `  if (outcomes.length === 0) return 0;
  await sql\`commit\`.execute(db);
  await sql\`select pg_sleep(0.05)\`.execute(db);
  await sql\`begin\`.execute(db);
`,
      ],
    ],
  },
};
