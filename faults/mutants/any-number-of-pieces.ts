import type { Mutant } from './mutant.ts';

export const ANY_NUMBER_OF_PIECES: Mutant = {
  name: 'any number of pieces',
  defect: 'A client may send any number of small pieces of bodies per second.',
  breaks: 'I13',
  faultFilter: 'small pieces',
  changes: {
    'http/connections/parser-limits.ts': [
      [
        'const MAX_SMALL_PIECES_PER_SECOND = 20_000;',
        'const MAX_SMALL_PIECES_PER_SECOND = Number.POSITIVE_INFINITY;',
      ],
    ],
  },
};
