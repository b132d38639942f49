import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { readAnswered } from './check/answered.ts';
import { judge } from './check/evidence.ts';
import { countAnswers, toHistory } from './check/history.ts';
import { readStored, waitUntilFinal } from './check/stored.ts';
import type { Tally } from './check/tally.ts';
import { type JournalEntry, openJournal, readJournal } from './journal.ts';
import { createClient } from './load/client.ts';
import { startLoad } from './load/load.ts';
import type { Mutant } from './mutants/mutants.ts';
import { startNemesis } from './nemesis/nemesis.ts';
import { createRandom } from './random.ts';
import { createRecoveries, type Recoveries } from './system/recoveries.ts';
import { startSampler } from './system/sampler.ts';
import { type Scenario, type System, startSystem, waitUntilUp } from './system/system.ts';

const LONGEST_DRAIN_MS = 60_000;

type JournalEntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

export interface ScenarioOptions {
  scenario: Scenario;
  faultsMs: number;
  seed: number;
  mutant?: Mutant;
  /** Only faults whose names hold this text. */
  faultsNamed?: string;
}

export interface ScenarioResult {
  name: string;
  tally: Tally;
  /** How often each fault happened that could. */
  faults: Map<string, number>;
  recoveryTimesMs: Recoveries['timesMs'];
  floods: JournalEntryOf<'flood'>[];
  longestPendingMs: number;
  reads: number;
  answers: ReturnType<typeof countAnswers>;
  drainMs: number;
  /** How often a process ended at its start, because PostgreSQL was out of reach. */
  failedStarts: number;
  tokens: number;
  claims: number;
  /** Where the journal and the logs are, if there is something to look for. */
  keptIn: string | null;
}

/** Runs load and faults on a fresh system, lets it settle, and judges what is left. */
export async function runScenario(options: ScenarioOptions): Promise<ScenarioResult> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-faults-'));
  // PostgreSQL may run as another user, who must reach its files.
  await chmod(directory, 0o711);
  let keptIn: string | null = directory;
  try {
    const { scenario, mutant } = options;
    const system = await startSystem({ scenario, directory, ...(mutant === undefined ? {} : { mutant }) });
    try {
      const result = await runOn(system, directory, options);
      if (result.tally.violations() === 0 || mutant !== undefined) keptIn = null;
      return { ...result, keptIn };
    } finally {
      await system.stop();
    }
  } catch (cause) {
    throw new Error(`the scenario broke off; its files are in ${directory}`, { cause });
  } finally {
    if (keptIn === null) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runOn(
  system: System,
  directory: string,
  { scenario, faultsMs, seed, mutant, faultsNamed = '' }: ScenarioOptions,
): Promise<Omit<ScenarioResult, 'keptIn'>> {
  if (mutant?.prepareSql) await runSql(system.databaseUrl, mutant.prepareSql);
  const journalPath = join(directory, 'journal.ndjson');
  const journal = await openJournal(journalPath);
  const random = createRandom(seed);
  const recoveries = createRecoveries();
  const client = createClient({
    system,
    journal,
    random: random.fork('client'),
    onAccepted: recoveries.noteAccepted,
  });
  const name = mutant?.name ?? scenario;
  const { apiKey, adminKey } = system;
  const load = startLoad({ client, journal, random, seed, runName: `${name} ${seed}`, apiKey, adminKey });
  const sampler = startSampler(system.databaseUrl, journal);
  const nemesis = startNemesis({
    system,
    client,
    journal,
    random: random.fork('nemesis'),
    recoveries,
    durationMs: faultsMs,
    named: mutant === undefined ? faultsNamed : 'kill -9',
  });
  await wait(faultsMs);

  await nemesis.stop();
  const faultsEndedMs = performance.now();
  client.giveUpAfter(LONGEST_DRAIN_MS);
  await waitUntilUp(system);
  await load.stop();
  const openOperations = await waitUntilFinal(
    system.databaseUrl,
    LONGEST_DRAIN_MS - (performance.now() - faultsEndedMs),
  );
  const drainMs = performance.now() - faultsEndedMs;
  await sampler.stop();
  await journal.close();

  const history = toHistory(await readJournal(journalPath));
  const stored = await readStored(system.databaseUrl);
  const answered = await readAnswered(system, [...history.accepted.keys()]);
  const ownEnds = system.processes.flatMap(({ unexpectedEnds }) => unexpectedEnds);
  return {
    name,
    tally: judge({ history, stored, answered, openOperations, ownEnds }),
    faults: nemesis.counts,
    recoveryTimesMs: recoveries.timesMs,
    floods: history.observations.filter((entry) => entry.type === 'flood'),
    longestPendingMs: Math.max(0, ...history.observations.map(pendingMsOf)),
    reads: client.counts.reads,
    answers: countAnswers(history),
    drainMs,
    failedStarts: system.processes.flatMap(({ failedStarts }) => failedStarts).length,
    tokens: stored.tokens.size,
    claims: stored.claims.length,
  };
}

function pendingMsOf(entry: JournalEntry): number {
  return entry.type === 'snapshot' ? entry.oldestPendingMs : 0;
}

async function runSql(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(text);
  await client.end();
}
