import type { Mutant } from './mutant.ts';

export const REPLACEMENT_WITHOUT_LOCK: Mutant = {
  name: 'a replacement without the lock',
  defect: 'A replacement moves people while others claim the token, table by table, 100 ms after each other.',
  breaks: 'I15',
  changes: {
    'domain/tokens/settle-replacements.ts': [
      ['    await lockForReplacement(tx, [tokenId, replacementTokenId]);\n', ''],
    ],
    'storage/token-replacements.ts': [
      [
        'for (const move of MOVES) await move(tx, replacement);',
        'for (const move of MOVES) {\n    await move(tx, replacement);\n    await sql`select pg_sleep(0.1)`.execute(tx);\n  }',
      ],
    ],
  },
};
