import { rewriteOnLoad } from './rewrite.ts';

// Each claim is a request of its own, and nobody asks whether the address has the token.
rewriteOnLoad('no rule of one claim', 'domain/claims/rules.ts', [
  ['state.hasClaimed || (usesIdentifier', '(usesIdentifier'],
  ['JSON.stringify([operationType, tokenId, ', 'JSON.stringify([crypto.randomUUID(), '],
]);
