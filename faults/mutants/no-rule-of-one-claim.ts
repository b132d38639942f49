import type { Changes } from './rewrite.ts';

/** Each claim is a request of its own, and nobody asks whether the address has the token. */
export const NO_RULE_OF_ONE_CLAIM: Changes = {
  'domain/claims/rules.ts': [
    ['state.hasClaimed || (usesIdentifier', '(usesIdentifier'],
    ['JSON.stringify([operationType, tokenId, ', 'JSON.stringify([crypto.randomUUID(), '],
  ],
};
