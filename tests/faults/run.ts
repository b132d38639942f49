import type { Mutant } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import type { Fault } from './nemesis/fault.ts';
import { FAULTS } from './nemesis/faults.ts';
import { type Options, parseOptions } from './options.ts';
import { describeFaults, describeScenario, describeTallies, describeViolations, medianOf } from './report.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import { ATTACKED, FAILOVER, SEPARATE } from './scenarios.ts';
import { SmallDisksUnavailable } from './system/small-disk.ts';

const MIN_KILLS_PER_MINUTE = 15;
// Attacks and failovers take long, and there is only one kill before each.
const SCENARIOS_WITH_FEW_KILLS = [ATTACKED.name, FAILOVER.name];
const MAX_MEDIAN_RECOVERY_MS = 3_000;
// From this length on, a run must have enough kills, short recoveries and every possible fault.
const LONG_RUN_MINUTES = 10;
/**
 * A run that is shorter, such as that of CI, does not judge waits for a processor, which a busy machine
 * causes too. It has a webhook in one scenario only, because a delivery can take a minute after a kill.
 */
const SHORT_RUN_MINUTES = 2;
const SETTLE_TIMEOUT_MS = 60_000;
const MUTANT_MS = 15_000;
// On a slow machine, the run of a mutant takes longer, so that this many writes are accepted.
const MUTANT_MIN_ACCEPTED = 150;
// Shorter than for the service, because one mutant never settles all operations.
const MUTANT_SETTLE_TIMEOUT_MS = 20_000;
const DEFAULT_FAULT_FILTER = 'kill -9';
// Long enough to begin one attack, which then always runs to its end.
const ATTACKED_MUTANT_MS = 1_000;

// `process.exit` runs the exit handlers, which kill the child processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') print(options);
else process.exitCode = (await run(options)) ? 0 : 1;

async function run({ minutes, seed, scenarios, faultFilter, mutants }: Options): Promise<boolean> {
  const duration = scenarios.length === 0 ? 'no scenario' : `${minutes} minutes of faults`;
  print(`seed ${seed}: ${duration}, then ${mutants.length} of ${MUTANTS.length} mutants\n\n`);
  const failures: string[] = [];

  const results: ScenarioResult[] = [];
  const weights = scenarios.reduce((sum, { weight }) => sum + weight, 0);
  for (const scenario of scenarios) {
    try {
      const durationMs = (minutes * 60_000 * scenario.weight) / weights;
      const result = await runScenario({
        scenario,
        durationMs,
        needsEveryAttack: minutes >= LONG_RUN_MINUTES,
        hasWebhook: minutes >= SHORT_RUN_MINUTES || scenario === SEPARATE,
        settleTimeoutMs: SETTLE_TIMEOUT_MS,
        seed,
        faultFilter,
        happened: namesOfHappened(results),
      });
      results.push(result);
      print(`${describeScenario(result)}\n`);
      if (result.keptIn !== null && countViolations(result, minutes) > 0)
        failures.push(`${scenario.name}: the journal is in ${result.keptIn}`);
    } catch (error) {
      if (!(error instanceof SmallDisksUnavailable)) throw error;
      print(`${scenario.name}: skipped, because this user may not mount a tmpfs\n\n`);
    }
  }
  if (results.length > 0) {
    print(`${describeFaults(results)}\n${describeTallies(results.map(({ tally }) => tally))}\n`);
    failures.push(...judgeResults(results, minutes));
  }

  let caught = 0;
  for (const mutant of mutants) if (await isCaught(mutant, seed)) caught += 1;
  if (mutants.length > 0) print(`${caught} of ${mutants.length} mutants caught\n`);
  if (caught < mutants.length) failures.push(`only ${caught} of ${mutants.length} mutants caught`);

  for (const failure of failures) print(`FAILED: ${failure}\n`);
  print(`seed ${seed}: ${failures.length === 0 ? 'passed' : 'failed'}\n`);
  return failures.length === 0;
}

function namesOfHappened(results: ScenarioResult[]): Set<string> {
  const counts = results.flatMap(({ faults }) => [...faults]);
  return new Set(counts.filter(([, count]) => count > 0).map(([name]) => name));
}

/** Prints the totals. Returns why the run fails. */
function judgeResults(results: ScenarioResult[], minutes: number): string[] {
  const failures: string[] = [];
  const countOf = (name: string) => results.reduce((sum, { faults }) => sum + (faults.get(name) ?? 0), 0);
  const possible = FAULTS.filter(({ name }) => results.some(({ faults }) => faults.has(name)));
  const happened = possible.filter(({ name }) => countOf(name) > 0);
  const killFaults = possible.filter(({ isKill }) => isKill);
  const kills = countKills(results, killFaults);
  const violations = results.reduce((sum, result) => sum + countViolations(result, minutes), 0);
  print(
    `${kills} kills, ${happened.length} of ${possible.length} possible faults, ${violations} violations\n\n`,
  );

  const isLong = minutes >= LONG_RUN_MINUTES;
  // A short run of attacks may have time for only one kill.
  const needsKills = results.some(({ name }) => name !== ATTACKED.name);
  for (const { name, isKill = false } of possible) {
    const mustHappen = isLong || (isKill && needsKills);
    if (mustHappen && countOf(name) === 0) failures.push(`"${name}" never happened`);
  }
  const failovers = possible.filter(({ isFailover }) => isFailover);
  if (failovers.length > 0 && failovers.every(({ name }) => countOf(name) === 0))
    failures.push('no failover happened');
  if (violations > 0) failures.push(`${violations} violations`);
  // A short run, such as in CI, must not fail because the machine is slow.
  if (isLong && killFaults.length > 0) failures.push(...judgeSpeed(results, killFaults));
  return failures;
}

function countViolations({ tally, delayedByWaits }: ScenarioResult, minutes: number): number {
  return tally.violations() - (minutes < SHORT_RUN_MINUTES ? delayedByWaits : 0);
}

function countKills(results: ScenarioResult[], killFaults: Fault[]): number {
  const counts = results.flatMap(({ faults }) => killFaults.map(({ name }) => faults.get(name) ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

function judgeSpeed(results: ScenarioResult[], killFaults: Fault[]): string[] {
  const failures: string[] = [];
  const withKills = results.filter(({ name }) => !SCENARIOS_WITH_FEW_KILLS.includes(name));
  const kills = countKills(withKills, killFaults);
  const minutes = withKills.reduce((sum, { durationMs }) => sum + durationMs, 0) / 60_000;
  const minKills = Math.floor(minutes * MIN_KILLS_PER_MINUTE);
  if (kills < minKills)
    failures.push(`only ${kills} kills in ${withKills.length} scenarios, of at least ${minKills}`);
  for (const { name } of killFaults) {
    const medianMs = medianOf(results.flatMap(({ recoveryTimesMs }) => recoveryTimesMs.get(name) ?? []));
    if (medianMs === null) failures.push(`no recovery from "${name}" was measured`);
    else if (medianMs > MAX_MEDIAN_RECOVERY_MS)
      failures.push(`the median recovery from "${name}" took ${Math.round(medianMs)} ms`);
  }
  return failures;
}

async function isCaught(mutant: Mutant, seed: number): Promise<boolean> {
  const { name, breaks, faultFilter = DEFAULT_FAULT_FILTER, durationFactor = 1 } = mutant;
  const isAttacked = FAULTS.some((fault) => fault.isAttack && fault.name.includes(faultFilter));
  const { tally } = await runScenario({
    ...(isAttacked
      ? { scenario: ATTACKED, durationMs: ATTACKED_MUTANT_MS }
      : { scenario: SEPARATE, durationMs: durationFactor * MUTANT_MS, minAccepted: MUTANT_MIN_ACCEPTED }),
    // Only I9 is about webhooks.
    hasWebhook: breaks === 'I9',
    settleTimeoutMs: MUTANT_SETTLE_TIMEOUT_MS,
    seed,
    mutant,
    faultFilter,
  });
  const { violations, details } = tally.results[breaks];
  const verdict = violations > 0 ? `caught by ${breaks}` : `NOT CAUGHT by ${breaks}`;
  print(`mutant "${name}": ${verdict}; violations: ${describeViolations(tally)}\n`);
  for (const detail of details.slice(0, 1)) print(`  ${detail}\n`);
  return violations > 0;
}

function print(text: string): void {
  process.stdout.write(text);
}
