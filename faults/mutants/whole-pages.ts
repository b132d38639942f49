import type { Mutant } from './mutant.ts';

export const WHOLE_PAGES: Mutant = {
  name: 'whole pages',
  defect:
    'A hundred tokens of a page are read and sent as one piece, however large they are, and no memory is reserved for them.',
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
