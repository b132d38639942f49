import { parseArgs } from 'node:util';
import type { ReplicationMode } from './cluster.ts';
import { FAILURES, type Failure } from './failures.ts';

// In the mode `sync`, each failure has one round in which HAProxy keeps the sessions to the old primary, and
// one in which it ends them.
const ROUNDS_PER_FAILURE = { sync: 2, async: 1 };
const HELP = `Usage: npm run test:failover -- [options]

Runs the service on three PostgreSQL servers that Patroni manages, under load, and makes the primary fail in each round.
Then compares the database and the API with the clients' journal. Needs root and Debian's packages.

  --rounds NUMBER   rounds of each mode (default: for each failure, two in the mode sync and one in the mode async)
  --mode MODE       sync: commits wait for a standby; async: they do not; both (default)
  --failure TEXT    only failures whose names contain this text
  --seed NUMBER     seed of all random choices (default: random); every run prints it
  --list            print every failure, and exit
  --help            print this help, and exit

Exits with 1 if one of these is true:
  - In the mode sync, an invariant is violated or an accepted operation is lost.
  - In the mode sync, the service added more than 2 seconds (median) to the outage of PostgreSQL.
  - A process of the service ended.
  - /readyz was wrong for more than 5 seconds.
  - The run could not be completed.

In the mode async, violations and losses are expected. They are only printed.
`;

export interface Options {
  seed: number;
  failures: readonly Failure[];
  modes: { mode: ReplicationMode; roundCount: number }[];
}

/** Parses the command line. Returns the text to print for `--list` and `--help`. Throws on a bad option. */
export function parseOptions(args: string[]): Options | string {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      mode: { type: 'string', default: 'both' },
      failure: { type: 'string', default: '' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return HELP;
  if (values.list) return FAILURES.map(({ name, effect }) => `${name}: ${effect}\n`).join('');
  const seed = Number(values.seed);
  if (!Number.isInteger(seed)) throw new Error('--seed must be an integer');
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--rounds must be an integer above 0');
  const failures = FAILURES.filter(({ name }) => name.includes(values.failure));
  if (failures.length === 0) throw new Error(`--failure: no failure's name contains "${values.failure}"`);
  const { mode } = values;
  if (mode !== 'sync' && mode !== 'async' && mode !== 'both')
    throw new Error('--mode must be sync, async or both');
  const modes: ReplicationMode[] = mode === 'both' ? ['sync', 'async'] : [mode];
  return {
    seed,
    failures,
    modes: modes.map((one) => ({
      mode: one,
      roundCount: rounds ?? ROUNDS_PER_FAILURE[one] * failures.length,
    })),
  };
}
