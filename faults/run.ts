import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants/mutants.ts';
import type { Fault } from './nemesis/fault.ts';
import { FAULTS } from './nemesis/nemesis.ts';
import { describeBroken, describeFaults, describeScenario, describeTallies, medianOf } from './report.ts';
import { runScenario, type ScenarioResult } from './scenario.ts';
import { NoSmallDisks, type Scenario } from './system/system.ts';

const KILLS_PER_MINUTE = 15;
const MOST_MEDIAN_RECOVERY_MS = 3_000;
// From here on every fault has the time to come.
const WHOLE_RUN_MINUTES = 10;
const MUTANT_MS = 8_000;
const SHARES: Record<Scenario, number> = { embedded: 0.3, separate: 0.5, 'small disks': 0.2 };
const SCENARIOS = Object.keys(SHARES) as Scenario[];
const PARTS = [...SCENARIOS, 'mutants'];

// What was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
    fault: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (values.only !== undefined && !PARTS.includes(values.only))
  throw new Error(`--only is one of ${PARTS.join(', ')}`);
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes and --seed are numbers');
const isWanted = (part: string) => values.only === undefined || values.only === part;

print(`seed ${seed}, ${minutes} minutes of faults\n\n`);
const complaints: string[] = [];
const results = await runScenarios(SCENARIOS.filter(isWanted));
if (results.length > 0) judgeRun();
if (isWanted('mutants') && values.fault === undefined) await runMutants();

for (const complaint of complaints) print(`FAILED: ${complaint}\n`);
print(`seed ${seed}: ${complaints.length === 0 ? 'passed' : 'failed'}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function runScenarios(scenarios: Scenario[]): Promise<ScenarioResult[]> {
  const shares = scenarios.reduce((sum, scenario) => sum + SHARES[scenario], 0);
  const done: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    const faultsMs = (minutes * 60_000 * SHARES[scenario]) / shares;
    try {
      const result = await runScenario({ scenario, faultsMs, seed, faultsNamed: values.fault ?? '' });
      done.push(result);
      print(`${describeScenario(result)}\n`);
      if (result.keptIn !== null) complaints.push(`${scenario}: the journal is kept in ${result.keptIn}`);
    } catch (error) {
      if (!(error instanceof Error && error.cause instanceof NoSmallDisks)) throw error;
      print(`${scenario}: not run, since mounting a tmpfs needs root\n\n`);
    }
  }
  return done;
}

function judgeRun(): void {
  print(`${describeFaults(results)}\n`);
  print(`${describeTallies(results.map(({ tally }) => tally))}\n`);
  const isPossible = new Set(results.flatMap(({ faults }) => [...faults.keys()]));
  const countOf = (name: string) => results.reduce((sum, { faults }) => sum + (faults.get(name) ?? 0), 0);
  const isWhole = minutes >= WHOLE_RUN_MINUTES;
  for (const { name, isKill = false } of FAULTS) {
    if (isPossible.has(name) && countOf(name) === 0 && (isKill || isWhole)) {
      complaints.push(`"${name}" never happened`);
    }
  }
  const killing = FAULTS.filter(({ name, isKill }) => isKill && isPossible.has(name));
  const kills = killing.reduce((sum, { name }) => sum + countOf(name), 0);
  const violations = results.reduce((sum, { tally }) => sum + tally.violations(), 0);
  if (violations > 0) complaints.push(`${violations} violations`);
  // How fast a machine is does not fail a short run, which belongs to the tests.
  if (isWhole && killing.length > 0) judgeSpeed(killing, kills);
  const happened = FAULTS.filter(({ name }) => countOf(name) > 0).length;
  print(`${kills} kills, ${happened} of ${FAULTS.length} faults, ${violations} violations\n\n`);
}

function judgeSpeed(killing: Fault[], kills: number): void {
  const leastKills = Math.floor(minutes * KILLS_PER_MINUTE);
  if (kills < leastKills) complaints.push(`only ${kills} kills, ${leastKills} are needed`);
  for (const { name } of killing) {
    const median = medianOf(results.flatMap(({ recoveryTimesMs }) => recoveryTimesMs.get(name) ?? []));
    if (median === null || median > MOST_MEDIAN_RECOVERY_MS) {
      complaints.push(`recovery after ${name}: ${median} ms`);
    }
  }
}

async function runMutants(): Promise<void> {
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

function print(text: string): void {
  process.stdout.write(text);
}
