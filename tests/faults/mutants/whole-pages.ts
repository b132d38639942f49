import type { Mutant } from './mutant.ts';

export const WHOLE_PAGES: Mutant = {
  name: 'whole pages',
  defect:
    'Pieces of pages are four times as large, and are not split if their tokens are large. No memory is reserved for large tokens and their responses.',
  breaks: 'I13',
  faultFilter: 'large pages',
  changes: {
    'domain/reader.ts': [['MAX_UNMEASURED_PIECE_BYTES = 2 *', 'MAX_UNMEASURED_PIECE_BYTES = 8 *']],
    'domain/tokens/read-token-rows.ts': [
      ['group === undefined || group.bytes + bytes > MAX_MEASURED_PIECE_BYTES', 'group === undefined'],
      ['reader.read(bytes, ', 'reader.read(0, '],
    ],
    'http/reads/reader.ts': [['permit?.resize(bytes);', '']],
  },
};
