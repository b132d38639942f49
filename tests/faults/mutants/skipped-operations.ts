import type { Mutant } from './mutant.ts';

export const SKIPPED_OPERATIONS: Mutant = {
  name: 'skipped operations',
  defect: 'The workers leave every tenth operation in the queue for ever.',
  breaks: 'I6',
  changes: {
    'storage/queue.ts': [
      [
        'and community_id = c.community_id\n      order by sequence limit c.max_of_each',
        'and community_id = c.community_id and sequence % 10 <> 0\n      order by sequence limit c.max_of_each',
      ],
    ],
  },
};
