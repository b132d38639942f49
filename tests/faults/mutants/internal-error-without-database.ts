import type { Mutant } from './mutant.ts';

export const INTERNAL_ERROR_WITHOUT_DATABASE: Mutant = {
  name: 'internal error without database',
  defect: 'A request gets a 500, not a 503, while the database cannot be reached.',
  breaks: 'I10',
  faultFilter: 'database cut off',
  changes: {
    'http/errors.ts': [['if (isDatabaseUnavailable(error))', 'if (false)']],
  },
};
