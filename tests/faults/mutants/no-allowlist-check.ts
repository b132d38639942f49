import type { Mutant } from './mutant.ts';

export const NO_ALLOWLIST_CHECK: Mutant = {
  name: 'no allowlist check',
  defect: 'Anybody may claim an allowlisted token.',
  breaks: 'I4',
  changes: {
    'domain/claims/rules.ts': [
      ['if (state.isAllowlistRequired && !request.isAllowlistBypassed && !isListed)', 'if (false)'],
    ],
  },
};
