import type { Mutant } from './mutant.ts';

export const ANY_NUMBER_OF_VALUES: Mutant = {
  name: 'any number of JSON values',
  defect: 'A JSON body may have any number of values.',
  breaks: 'I13',
  faultFilter: 'large JSON bodies',
  changes: {
    'http/json-body.ts': [['if (values > LIMITS.bodyValues)', 'if (false)']],
  },
};
