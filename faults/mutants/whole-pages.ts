import type { Mutant } from './mutant.ts';

export const WHOLE_PAGES: Mutant = {
  name: 'whole pages',
  defect:
    'A piece of a page is not split if its tokens are large, and no memory is reserved for large tokens and their responses.',
  breaks: 'I13',
  faultFilter: 'large pages',
  changes: {
    'domain/tokens/read-token-rows.ts': [
      ['group === undefined || group.bytes + bytes > MAX_MEASURED_PIECE_BYTES', 'group === undefined'],
      ['reader.read(bytes, ', 'reader.read(0, '],
    ],
    'http/reads/reader.ts': [['permit?.resize(bytes);', '']],
  },
};
