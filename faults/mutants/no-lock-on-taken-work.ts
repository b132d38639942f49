import { rewriteOnLoad } from './rewrite.ts';

// Two workers take the same operations at the same time.
rewriteOnLoad('no lock on taken work', 'storage/operations.ts', [['for update skip locked', '']]);
