import type { Changes } from './rewrite.ts';

/** Tokens and claims are committed a moment before the operations that asked for them are final. */
export const TWO_TRANSACTIONS: Changes = {
  'storage/operations.ts': [
    [
      '  if (results.length === 0) return;\n',
      `  if (results.length === 0) return;
  await sql\`commit\`.execute(tx);
  await sql\`select pg_sleep(0.05)\`.execute(tx);
  await sql\`begin\`.execute(tx);
`,
    ],
  ],
};
