import { dropConstraint, type Mutant } from './mutant.ts';

export const REPEATED_CLAIMS: Mutant = {
  name: 'repeated claims',
  defect:
    'A repeated claim is a new operation, and the worker does not check whether the address has claimed the token.',
  breaks: 'I5',
  prepareSql: `${dropConstraint('claims', 'PRIMARY KEY (token_id, address)')};
    drop index claims_by_contributor`,
  changes: {
    'domain/claims/rules.ts': [
      ["state.ownership !== 'none' || state.hasAtOtherAddress || (usesIdentifier", '(usesIdentifier'],
      ['JSON.stringify([operationType, tokenId, ', 'JSON.stringify([crypto.randomUUID(), '],
    ],
  },
};
