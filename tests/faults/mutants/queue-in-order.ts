import type { Mutant } from './mutant.ts';

export const QUEUE_IN_ORDER: Mutant = {
  name: 'queue in order',
  defect:
    'Operations are settled in the order of acceptance, whichever community sent them, in batches of 8 MiB.',
  breaks: 'I13',
  faultFilter: 'large allowlists',
  changes: {
    'storage/queue.ts': [['order by c.community_id, o.sequence', 'order by o.sequence']],
    'worker/fair-batches.ts': [
      ['maxCostBytes: 512 * 1024', 'maxCostBytes: 8 * 1024 * 1024'],
      ['ranked.sort((a, b) => a.costUpToBytes - b.costUpToBytes);', ''],
      ["startNextAfter.set(queue, communityBeforeMissed ?? continueAfter ?? '');", ''],
    ],
  },
};
