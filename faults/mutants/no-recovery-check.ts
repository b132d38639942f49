import type { Mutant } from './mutant.ts';

export const NO_RECOVERY_CHECK: Mutant = {
  name: 'no recovery check',
  defect: 'A connection to a standby is used for reads.',
  breaks: 'I1',
  faultFilter: 'address leads to a standby',
  changes: {
    'storage/database.ts': [['if (!mayBeReadOnly) client.checkWritable();', '']],
  },
};
