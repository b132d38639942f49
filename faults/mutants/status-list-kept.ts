import type { Mutant } from './mutant.ts';

export const STATUS_LIST_KEPT: Mutant = {
  name: 'a status list that is kept',
  defect: 'A process signs a status list once, and sends it again although credentials were revoked since.',
  breaks: 'I14',
  changes: {
    'domain/credentials/read-status-list.ts': [
      ['if (found?.revokedCount === list.revoked_count)', 'if (found !== undefined)'],
    ],
  },
};
