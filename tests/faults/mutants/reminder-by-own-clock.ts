import type { Mutant } from './mutant.ts';

// In two parts, because the linter warns of a placeholder in a string that is not a template.
const PAUSE = '$' + '{PAUSE}';
const BY_OWN_CLOCK = '$' + '{sql.lit(new Date().toISOString())}::timestamptz - interval $' + '{PAUSE}';

export const REMINDER_BY_OWN_CLOCK: Mutant = {
  name: 'reminder by own clock',
  defect: "Whether three days are over since a mail is decided by the process's clock.",
  breaks: 'I17',
  faultFilter: 'clock two hours off',
  changes: {
    'storage/reminders.ts': [
      [`or i.sent_at > now() - interval ${PAUSE} or (i.next`, `or i.sent_at > ${BY_OWN_CLOCK} or (i.next`],
      [`and o.sent_at <= now() - interval ${PAUSE}`, `and o.sent_at <= ${BY_OWN_CLOCK}`],
    ],
  },
};
