import { parseArgs } from 'node:util';
import { FIGURES } from './figures.ts';

const HELP = `Usage: npm run bench -- [options]

Measures how fast the service is, most figures together with a reference, and prints a table. Takes up to 20 minutes.

  --only NAME   only this figure: ${FIGURES.map(({ name }) => name).join(', ')}
  --quick       measure everything for a moment, without goals: a test of the measurements themselves
  --scale       compare 1,000,000 tokens with 10,000 instead; inserting them takes further minutes
  --help        print this help, and exit
`;

export interface Options {
  only: string | undefined;
  isQuick: boolean;
  isScale: boolean;
}

/** Parses the command line. Returns the text to print for `--help`. Throws on a bad option. */
export function parseOptions(args: string[]): Options | string {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return HELP;
  const { only, quick: isQuick, scale: isScale } = values;
  if (only !== undefined && isScale) throw new Error('--only and --scale must not both be given');
  if (only !== undefined && !FIGURES.some(({ name }) => name === only))
    throw new Error(`--only: there is no figure "${only}"`);
  return { only, isQuick, isScale };
}
