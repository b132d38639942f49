import type { Mutant } from './mutant.ts';

export const REVOKED_BADGE_REPORTED: Mutant = {
  name: 'a revoked badge that a gate still reports',
  defect: 'The call for one address says that the address holds the token although it was revoked.',
  breaks: 'I14',
  changes: {
    'domain/claims/read-owner.ts': [
      ['status: owner.status,', "status: owner.status === 'revoked' ? 'held' : owner.status,"],
    ],
  },
};
