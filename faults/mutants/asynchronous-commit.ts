import type { Changes } from './rewrite.ts';

/** A commit is answered before it is on disk. */
export const ASYNCHRONOUS_COMMIT: Changes = {
  'storage/database.ts': [['synchronous_commit=on', 'synchronous_commit=off']],
};
