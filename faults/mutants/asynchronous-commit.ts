import { rewriteOnLoad } from './rewrite.ts';

// A commit is answered before it is on disk.
rewriteOnLoad('synchronous_commit=off', 'storage/database.ts', [
  ['synchronous_commit=on', 'synchronous_commit=off'],
]);
