import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type AttackFigures, summarizeAttacks } from './check/attack-figures.ts';
import { isDelayedByWaits } from './check/check-isolation.ts';
import { countOutcomes } from './check/history.ts';
import { judgeCopy } from './check/judge-copy.ts';
import type { Tally } from './check/tally.ts';
import type { JournalEntry } from './journal.ts';
import { startJudgedLoad } from './judged-load.ts';
import { type Mutant, preloadOf } from './mutants/mutant.ts';
import { ATTACK_FAULTS } from './nemesis/attacks.ts';
import { startNemesis } from './nemesis/nemesis.ts';
import { createRecoveries, type Recoveries } from './nemesis/recoveries.ts';
import { createRandom } from './random.ts';
import type { Scenario } from './scenarios.ts';
import { SmallDisksUnavailable } from './system/small-disk.ts';
import { type System, startSystem } from './system/system.ts';

// With too few accepted writes, or without some attack, a scenario continues, at most until it has taken this
// many times its `durationMs`.
const MAX_DURATION_FACTOR = 5;
const POLL_MS = 50;
// How many users of each kind the scenario `attacks` has. Fewer than the others, because its service has rate
// limits, and because users and attacker share the processors with the service here. Otherwise the probes
// would measure the users.
const USERS_UNDER_ATTACK = {
  creator: 1,
  claimer: 2,
  room: 0,
  'code claimer': 1,
  undoer: 1,
  'member manager': 1,
  'change reader': 0,
};

type JournalEntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

export interface ScenarioOptions {
  scenario: Scenario;
  durationMs: number;
  /**
   * If fewer writes were accepted in `durationMs`, the scenario continues, for at most five times
   * `durationMs` in all.
   */
  minAccepted?: number;
  /** Whether the scenario also continues until every attack has happened. */
  needsEveryAttack?: boolean;
  /** Whether the events are also sent to a webhook; true by default. */
  hasWebhook?: boolean;
  /** How long operations may take to become final, measured from the end of the faults. */
  settleTimeoutMs: number;
  seed: number;
  /** Run a mutant in place of the service. */
  mutant?: Mutant;
  /** Inject only faults whose names contain this text. */
  faultFilter: string;
  /**
   * The names of the faults that have happened in earlier scenarios of this run. The others are preferred.
   */
  happened?: ReadonlySet<string>;
}

export interface ScenarioResult {
  name: string;
  /** How long faults were injected. */
  durationMs: number;
  tally: Tally;
  /** How often each possible fault happened. */
  faults: Map<string, number>;
  recoveryTimesMs: Recoveries['timesMs'];
  floods: JournalEntryOf<'flood'>[];
  attacks: AttackFigures[];
  /** The longest time for which an operation was pending, as far as the snapshots show. */
  maxPendingMs: number;
  /** How many reads returned 200. */
  reads: number;
  /** The results of all attempts. Several attempts of a request can be accepted, with the same operation. */
  outcomes: ReturnType<typeof countOutcomes>;
  /** From the end of the faults until every operation was final, or until the timeout. */
  settleMs: number;
  /** Operations that were not final at the timeout. */
  unfinishedOperations: number;
  /**
   * How often a process exited by itself before it was ready, usually because it could not reach PostgreSQL.
   */
  failedStarts: number;
  /** How many violations of I13 are due only to the service's waits for a processor. */
  delayedByWaits: number;
  tokens: number;
  claims: number;
  /**
   * The directory of the journal and the database files. Null if it was deleted, because there was no
   * violation or a mutant ran.
   */
  keptIn: string | null;
}

/** Runs load and faults on a new system, waits until every operation is final, and judges the result. */
export async function runScenario(options: ScenarioOptions): Promise<ScenarioResult> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-faults-'));
  // PostgreSQL may run as another user, who must reach its files.
  await chmod(directory, 0o711);
  let keptIn: string | null = directory;
  try {
    const { scenario, mutant } = options;
    const system = await startSystem({
      name: scenario.name,
      layout: scenario.layout,
      directory,
      ...(mutant === undefined ? {} : { mutant: preloadOf(mutant) }),
    });
    try {
      const result = await runOn(system, directory, options);
      if (result.tally.violations() === 0 || mutant !== undefined) keptIn = null;
      return { ...result, keptIn };
    } finally {
      await system.stop();
    }
  } catch (cause) {
    if (cause instanceof SmallDisksUnavailable) {
      keptIn = null;
      throw cause;
    }
    throw new Error(`the scenario could not be completed; its files are in ${directory}`, { cause });
  } finally {
    if (keptIn === null) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runOn(
  system: System,
  directory: string,
  {
    scenario,
    durationMs,
    minAccepted = 0,
    needsEveryAttack = false,
    hasWebhook = true,
    settleTimeoutMs,
    seed,
    mutant,
    faultFilter,
    happened = new Set(),
  }: ScenarioOptions,
): Promise<Omit<ScenarioResult, 'keptIn'>> {
  if (mutant?.prepareSql !== undefined) await runSql(system.databaseUrl, mutant.prepareSql);
  const random = createRandom(seed);
  const recoveries = createRecoveries();
  const name = mutant?.name ?? scenario.name;
  const load = await startJudgedLoad({
    system,
    directory,
    random,
    seed,
    runName: `${name} ${seed}`,
    userCounts: system.isAttacked ? USERS_UNDER_ATTACK : {},
    hasWebhook,
    onAccepted: recoveries.noteAccepted,
  });
  const { client, journal } = load;
  const nemesis = startNemesis({
    system,
    client,
    journal,
    random: random.fork('nemesis'),
    recoveries,
    durationMs,
    faultFilter,
    happened,
  });
  const beganMs = performance.now();
  await wait(durationMs);
  const deadlineMs = beganMs + MAX_DURATION_FACTOR * durationMs;
  // In the other scenarios, attacks have no counts.
  const isAttackMissing = () => ATTACK_FAULTS.some(({ name }) => nemesis.counts.get(name) === 0);
  const isIncomplete = () => client.counts.accepted < minAccepted || (needsEveryAttack && isAttackMissing());
  while (isIncomplete() && performance.now() < deadlineMs) await wait(POLL_MS);
  await nemesis.stop();
  const injectedMs = performance.now() - beganMs;

  const { tally, evidence, settleMs } = await load.finish(settleTimeoutMs);
  const { history, database, unfinishedOperations } = evidence;
  // An archive has only final operations, and import refuses the tokens of attacks, which nobody has signed.
  if (mutant === undefined && unfinishedOperations === 0 && !system.isAttacked)
    await judgeCopy({ system, directory, evidence, tally });
  return {
    name,
    durationMs: injectedMs,
    tally,
    faults: nemesis.counts,
    recoveryTimesMs: recoveries.timesMs,
    floods: history.observations.filter((entry) => entry.type === 'flood'),
    attacks: summarizeAttacks(history.observations),
    maxPendingMs: Math.max(0, ...history.observations.map(pendingMsOf)),
    reads: client.counts.reads,
    outcomes: countOutcomes(history),
    settleMs,
    unfinishedOperations,
    failedStarts: system.processes.flatMap(({ failedStarts }) => failedStarts).length,
    delayedByWaits: history.observations.filter((entry) => entry.type === 'probe' && isDelayedByWaits(entry))
      .length,
    tokens: database.tokens.size,
    claims: database.claims.length,
  };
}

function pendingMsOf(entry: JournalEntry): number {
  return entry.type === 'snapshot' ? entry.oldestPendingMs : 0;
}

async function runSql(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
