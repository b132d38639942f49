import type { Mutant } from './mutant.ts';

export const STATUS_LIST_KEPT: Mutant = {
  name: 'a status list that is kept',
  defect: 'A process signs a status list once, and sends it again although credentials were revoked since.',
  breaks: 'I14',
  // Any fault without kills, because a process that starts again signs the list again.
  faultFilter: 'clock two hours off',
  changes: {
    'domain/credentials/read-status-list.ts': [['String(list.revoked_count)', "''"]],
  },
};
