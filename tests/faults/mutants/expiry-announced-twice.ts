import type { Mutant } from './mutant.ts';

export const EXPIRY_ANNOUNCED_TWICE: Mutant = {
  name: 'an expiry that is announced twice',
  defect: 'The service does not note which ends it has announced.',
  breaks: 'I16',
  changes: {
    'storage/expiry.ts': [
      [
        'set announced_end = l.valid_until from locked l',
        'set announced_end = c.announced_end from locked l',
      ],
    ],
  },
};
