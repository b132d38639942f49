import { rewriteOnLoad } from './rewrite.ts';

// Tokens and claims are committed before the operations that asked for them are final.
rewriteOnLoad('two transactions', 'storage/operations.ts', [
  [
    '  if (results.length === 0) return;\n',
    '  if (results.length === 0) return;\n  await sql`commit`.execute(tx);\n  await sql`begin`.execute(tx);\n',
  ],
]);
