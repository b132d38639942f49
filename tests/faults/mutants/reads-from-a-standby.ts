import type { Mutant } from './mutant.ts';

export const READS_FROM_A_STANDBY: Mutant = {
  name: 'reads from a standby',
  defect: 'A connection to a standby is used for reads.',
  breaks: 'I1',
  faultFilter: 'address leads to a standby',
  changes: {
    'storage/database.ts': [['if (!mayBeReadOnly) state.checkWritable();', '']],
  },
};
