import type { Mutant } from './mutant.ts';

export const RESPONSES_FROM_THE_READ_IN_FLIGHT: Mutant = {
  name: 'responses from the read in flight',
  defect:
    'A query for changes of tokens that is already running also counts for the requests that arrive meanwhile.',
  breaks: 'I14',
  faultFilter: 'changes of tokens held back',
  changes: {
    'storage/token-changes.ts': [
      [
        `const served = waiting;
      waiting = [];
      const isCaughtUp = await read();`,
        `const isCaughtUp = await read();
      const served = waiting;
      waiting = [];`,
      ],
    ],
  },
};
