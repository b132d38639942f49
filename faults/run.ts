import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants/mutants.ts';
import { describeBroken, describeScenario, describeTallies } from './report.ts';
import { runScenario, type ScenarioResult } from './scenario.ts';

const KILLS_PER_SECOND = 40 / 90;
const MUTANT_MS = 8_000;

// What was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '90' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const PARTS = ['embedded', 'separate', 'mutants'];
if (values.only !== undefined && !PARTS.includes(values.only))
  throw new Error(`--only is one of ${PARTS.join(', ')}`);
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds and --seed are numbers');
const isWanted = (part: string) => values.only === undefined || values.only === part;

print(`seed ${seed}, ${seconds} seconds of faults\n\n`);
const complaints: string[] = [];
const scenarios = (['embedded', 'separate'] as const).filter(isWanted);
const results: ScenarioResult[] = [];
for (const scenario of scenarios) {
  const result = await runScenario({ scenario, faultsMs: (seconds * 1000) / scenarios.length, seed });
  results.push(result);
  print(`${describeScenario(result)}\n`);
  for (const [target, count] of Object.entries(result.kills)) {
    if (count === 0) complaints.push(`${scenario}: ${target} was never killed`);
  }
  if (result.keptIn !== null) complaints.push(`${scenario}: the journal is kept in ${result.keptIn}`);
}
if (results.length > 0) {
  print(`${describeTallies(results.map(({ tally }) => tally))}\n`);
  const kills = results.reduce((sum, result) => sum + result.kills.service + result.kills.postgres, 0);
  const violations = results.reduce((sum, { tally }) => sum + tally.violations(), 0);
  const leastKills = Math.floor(seconds * KILLS_PER_SECOND);
  if (kills < leastKills) complaints.push(`only ${kills} kills, ${leastKills} are needed`);
  if (violations > 0) complaints.push(`${violations} violations`);
  print(`${kills} kills, ${violations} violations\n\n`);
}

if (isWanted('mutants')) {
  let caught = 0;
  for (const mutant of MUTANTS) {
    const { tally } = await runScenario({ scenario: 'separate', faultsMs: MUTANT_MS, seed, mutant });
    const isCaught = tally.results[mutant.breaks].violations > 0;
    if (isCaught) caught += 1;
    print(`mutant "${mutant.name}" ${isCaught ? 'caught' : 'NOT CAUGHT'}: broke ${describeBroken(tally)}\n`);
    for (const detail of tally.results[mutant.breaks].details.slice(0, 1)) print(`  ${detail}\n`);
  }
  print(`${caught} of ${MUTANTS.length} mutants caught\n`);
  if (caught < MUTANTS.length) complaints.push(`only ${caught} of ${MUTANTS.length} mutants caught`);
}

for (const complaint of complaints) print(`FAILED: ${complaint}\n`);
print(`seed ${seed}: ${complaints.length === 0 ? 'passed' : 'failed'}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;

function print(text: string): void {
  process.stdout.write(text);
}
