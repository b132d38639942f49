import type { Changes } from './rewrite.ts';

/** Tokens and claims are committed a moment before the operations that asked for them are final. */
export const TWO_TRANSACTIONS: Changes = {
  'storage/queue.ts': [
    [
      '  if (outcomes.length === 0) return;\n',
      `  if (outcomes.length === 0) return;
  await sql\`commit\`.execute(db);
  await sql\`select pg_sleep(0.05)\`.execute(db);
  await sql\`begin\`.execute(db);
`,
    ],
  ],
};
