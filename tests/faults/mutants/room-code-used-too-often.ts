import { dropConstraint, type Mutant } from './mutant.ts';

export const ROOM_CODE_USED_TOO_OFTEN: Mutant = {
  name: 'a room code used once too often',
  defect: 'A code of a room is refused only after one claim more than its maximum.',
  breaks: 'I5',
  prepareSql: dropConstraint('claim_links', 'CHECK %claim_count%max_claims%'),
  changes: {
    'domain/claims/rules.ts': [
      ['isEntryUsed || linkClaimsLeft === 0', 'isEntryUsed || linkClaimsLeft === -1'],
    ],
    'storage/claim-links.ts': [
      ['or l.claim_count = l.max_claims then', 'or l.claim_count > l.max_claims then'],
    ],
  },
};
