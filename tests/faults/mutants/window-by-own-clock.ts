import type { Mutant } from './mutant.ts';

// In two parts, because the linter warns of a placeholder in a string that is not a template.
const BY_OWN_CLOCK = '$' + '{new Date(Date.now() - 60_000)}::timestamptz';
const BY_DATABASE = 'now() - interval $' + '{REPETITION_PERIOD}';

export const WINDOW_BY_OWN_CLOCK: Mutant = {
  name: 'window by own clock',
  defect:
    "The 60 seconds in which equal create requests are one operation are measured by the process's clock.",
  breaks: 'I2',
  faultFilter: 'clock two hours off',
  // Two equal requests must reach a process whose clock is ahead.
  durationFactor: 3,
  changes: {
    'storage/operations.ts': [[`created_at <= ${BY_DATABASE}`, `created_at <= ${BY_OWN_CLOCK}`]],
  },
};
