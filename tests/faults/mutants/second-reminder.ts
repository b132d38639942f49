import type { Mutant } from './mutant.ts';

export const SECOND_REMINDER: Mutant = {
  name: 'a second reminder',
  defect: 'Neither a reminder that waits nor one that was sent keeps a person from being reminded.',
  breaks: 'I17',
  changes: {
    'storage/reminders.ts': [
      ['when $' + '{IS_REMINDED} or ', 'when '],
      ['and other.invitation_id <> i.invitation_id', 'and false'],
    ],
  },
};
