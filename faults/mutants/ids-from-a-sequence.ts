import { rewriteOnLoad } from './rewrite.ts';

// A rollback does not give a sequence's values back.
rewriteOnLoad('ids from a sequence', 'storage/tokens.ts', [
  ['select c.base + n.n, ', "select nextval('token_ids'), "],
]);
