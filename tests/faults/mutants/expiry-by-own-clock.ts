import type { Mutant } from './mutant.ts';

// In two parts, because the linter warns of a placeholder in a string that is not a template.
const BY_OWN_CLOCK = '$' + '{sql.lit(new Date().toISOString())}::timestamptz';

export const EXPIRY_BY_OWN_CLOCK: Mutant = {
  name: 'expiry by own clock',
  defect: "Whether a badge has ended is decided by the process's clock, not by the database's.",
  breaks: 'I16',
  faultFilter: 'clock two hours off',
  changes: {
    'storage/validity.ts': [['<= now()) is not true)', `<= ${BY_OWN_CLOCK}) is not true)`]],
  },
};
