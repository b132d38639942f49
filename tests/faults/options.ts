import { parseArgs } from 'node:util';
import { INVARIANT_NAMES, INVARIANTS } from './invariants.ts';
import type { Mutant } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { FAULTS } from './nemesis/faults.ts';
import { createRandom } from './random.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const HELP = `Usage: npm run test:faults -- [options]

Injects faults into real processes under load, and checks every invariant. Then does the same with mutants of the
service, each of which must violate its invariant.

  --minutes NUMBER   total time of the faults, without the mutants (default 2)
  --seed NUMBER      seed of all random choices (default: random); every run prints it
  --scenario NAME    only this scenario (${SCENARIOS.map(({ name }) => name).join(', ')}), or "none" for only the mutants
  --fault TEXT       only faults whose names contain this text, and no mutants unless --mutants is given
  --mutants WHICH    all (default), none, part of a name, or how many to draw at random, except those that break I13
  --list             print the scenarios, faults, invariants and mutants, and exit
  --help             print this help, and exit

Exits with 1 if one of these is true:
  - An invariant is violated, or a mutant is not caught.
  - A kind of kill never happened. A short run of only the scenario attacks may lack one.
  - The scenario failover ran without a failover.
  - --minutes is 10 or more, and one of these is true: a fault that was possible never happened, there were too few
    kills, or recoveries were slow.
`;

export interface Options {
  minutes: number;
  seed: number;
  scenarios: Scenario[];
  /** Inject only faults whose names contain this text. */
  faultFilter: string;
  mutants: Mutant[];
}

/** Parses the command line. Returns the text to print for `--list` and `--help`. Throws on a bad option. */
export function parseOptions(args: string[]): Options | string {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      scenario: { type: 'string' },
      fault: { type: 'string' },
      mutants: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return HELP;
  if (values.list) return describeTables();
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  if (!Number.isInteger(seed)) throw new Error('--seed must be an integer');
  const { fault = '' } = values;
  if (!FAULTS.some(({ name }) => name.includes(fault)))
    throw new Error(`--fault: no fault's name contains "${fault}"`);
  return {
    minutes,
    seed,
    scenarios: chooseScenarios(values.scenario),
    faultFilter: fault,
    mutants: chooseMutants(values.mutants ?? (fault === '' ? 'all' : 'none'), seed),
  };
}

function chooseScenarios(wanted: string | undefined): Scenario[] {
  if (wanted === 'none') return [];
  const chosen = SCENARIOS.filter(({ name }) => wanted === undefined || name === wanted);
  if (chosen.length === 0) throw new Error(`--scenario: there is no scenario "${wanted}"`);
  return chosen;
}

/**
 * Returns the mutants that `--mutants` selects. The same seed draws the same mutants. Those that break I13
 * are not drawn: a fast machine may answer in time in spite of them.
 */
function chooseMutants(wanted: string, seed: number): Mutant[] {
  if (wanted === 'all') return [...MUTANTS];
  if (wanted === 'none') return [];
  if (/^\d+$/.test(wanted)) {
    const random = createRandom(seed).fork('mutants');
    const drawn = MUTANTS.filter(({ breaks }) => breaks !== 'I13')
      .map((mutant) => ({ mutant, draw: random.next() }))
      .toSorted((a, b) => a.draw - b.draw)
      .slice(0, Number(wanted));
    return MUTANTS.filter((mutant) => drawn.some((one) => one.mutant === mutant));
  }
  const chosen = MUTANTS.filter(({ name }) => name.includes(wanted));
  if (chosen.length === 0) throw new Error(`--mutants: no mutant's name contains "${wanted}"`);
  return chosen;
}

function describeTables(): string {
  return [
    'Scenarios',
    ...SCENARIOS.map(({ name, description }) => `  ${name}: ${description}`),
    '',
    'Faults',
    ...FAULTS.map(({ name, effect, countsIf }) => `  ${name}: ${effect} Counts if ${countsIf}.`),
    '',
    'Invariants',
    ...INVARIANT_NAMES.map((name) => `  ${name}: ${INVARIANTS[name]}`),
    '',
    'Mutants',
    ...MUTANTS.map(({ name, breaks, defect }) => `  ${name} (breaks ${breaks}): ${defect}`),
    '',
  ].join('\n');
}
