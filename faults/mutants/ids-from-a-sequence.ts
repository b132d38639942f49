import type { Changes } from './rewrite.ts';

/** What a session takes of a sequence is gone when the session ends, or its transaction is rolled back. */
export const IDS_FROM_A_SEQUENCE: Changes = {
  'storage/tokens.ts': [['select c.base + n.n, ', "select nextval('token_ids'), "]],
};
