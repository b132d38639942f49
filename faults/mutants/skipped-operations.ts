import type { Mutant } from './mutant.ts';

export const SKIPPED_OPERATIONS: Mutant = {
  name: 'skipped operations',
  defect: 'The workers never take every tenth operation.',
  breaks: 'I6',
  changes: {
    'storage/queue.ts': [
      [
        "where status = 'pending'\n      order by sequence limit",
        "where status = 'pending' and sequence % 10 <> 0\n      order by sequence limit",
      ],
    ],
  },
};
