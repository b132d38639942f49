import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ENTRY_POINT } from '@badge/test-support/badge-process';
import { type SupervisedBadge, superviseBadge } from '@badge/test-support/supervised-badge';
import { makeKey } from '../../../packages/service/src/domain/api-keys/rules.ts';
import { countOutcomes, operationIdOf } from '../check/history.ts';
import type { Tally } from '../check/tally.ts';
import { type Judgement, startJudgedLoad } from '../judged-load.ts';
import { createRandom } from '../random.ts';
import { type SystemUnderLoad, waitUntilUp, writeSecretFiles } from '../system/system.ts';
import { type Cluster, type ReplicationMode, startCluster } from './cluster.ts';
import type { Failure } from './failures.ts';
import { startAddressProber, startReadinessProber, startServerProber } from './probers.ts';
import {
  type AcceptedWrite,
  findNewPrimaryMs,
  type RoundFigures,
  type RoundSamples,
  summarizeRound,
} from './round-figures.ts';

const ROLES = ['all', 'api', 'worker'] as const;
// More creators and fewer claimers than in the fault run.
const USER_COUNTS = { creator: 6, claimer: 8 };
const STEADY_MS = 4_000;
const AFTER_RECOVERY_MS = 4_000;
const RECOVERY_TIMEOUT_MS = 120_000;
const SETTLE_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

export interface Round extends RoundFigures {
  failure: Failure;
  /** Whether HAProxy ends the sessions to the old primary. */
  endsSessions: boolean;
  /** By the same clock as `atMs` in the journal. */
  beganTimestamp: number;
  oldPrimary: string;
  /** Accepted operations of this round that the database does not contain at the end of the run. */
  lost: number;
  /** How many processes of the service ended, and were restarted by their supervisor. */
  restarts: number;
}

export interface ModeResult {
  mode: ReplicationMode;
  rounds: Round[];
  tally: Tally;
  /** Accepted operations by kind. */
  accepted: Record<string, number>;
  /** How long the load ran. */
  loadMs: number;
  settleMs: number;
  /** Operations that were not final at the timeout. */
  unfinishedOperations: number;
  /** The directory of the journal and the logs; null if they were removed. */
  keptIn: string | null;
}

interface ModeOptions {
  mode: ReplicationMode;
  roundCount: number;
  failures: readonly Failure[];
  seed: number;
  onRound: (round: Omit<Round, 'lost'>, index: number) => void;
}

/** Starts a cluster and the service, makes the primary fail in each round, and judges the result. */
export async function runMode(options: ModeOptions): Promise<ModeResult> {
  const { mode, seed } = options;
  const directory = await mkdtemp(join(tmpdir(), `badge-failover-${mode}-`));
  // Patroni and etcd run as other users.
  await chmod(directory, 0o711);
  try {
    const result = await runIn(directory, options);
    if (mode === 'sync' && result.tally.violations() > 0) return { ...result, keptIn: directory };
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    return { ...result, keptIn: null };
  } catch (cause) {
    throw new Error(
      `the run in mode ${mode} with seed ${seed} could not be completed; its files are in ${directory}`,
      { cause },
    );
  }
}

async function runIn(directory: string, options: ModeOptions): Promise<Omit<ModeResult, 'keptIn'>> {
  const { mode, seed, onRound } = options;
  const cluster = await startCluster(directory, mode);
  const system = await startServices(cluster, directory);
  const random = createRandom(seed);
  const accepted: AcceptedWrite[] = [];
  const loadBeganMs = performance.now();
  const load = await startJudgedLoad({
    system,
    directory,
    random,
    seed,
    runName: `failover ${mode} ${seed}`,
    userCounts: USER_COUNTS,
    hasWebhook: false,
    onAccepted: (name, sentMs) => accepted.push({ process: name, sentMs, acceptedMs: performance.now() }),
  });
  const unjudgedRounds: Omit<Round, 'lost'>[] = [];
  for (const [index, plan] of planRounds(options).entries()) {
    // PgBouncer stays with an old primary as long as HAProxy keeps the sessions to it. So the process that
    // uses PgBouncer is started when HAProxy begins to end these sessions.
    const isPooledStarted = system.processes.length > ROLES.length;
    if (plan.endsSessions && !isPooledStarted) {
      await cluster.setShutdownSessions(true);
      await system.start('pooled', 'api', cluster.poolerEnv);
    }
    const round = await runRound(plan, { cluster, system, accepted });
    unjudgedRounds.push(round);
    onRound(round, index);
  }
  const loadMs = performance.now() - loadBeganMs;
  const judgement = await load.finish(SETTLE_TIMEOUT_MS);
  await Promise.all(system.processes.map((service) => service.stop()));
  await cluster.stop();
  const rounds = countLost(unjudgedRounds, judgement);
  const { tally, settleMs, evidence } = judgement;
  const { unfinishedOperations, history } = evidence;
  return {
    mode,
    rounds,
    tally,
    accepted: countOutcomes(history).accepted,
    loadMs,
    settleMs,
    unfinishedOperations,
  };
}

/** A system to which processes can be added. */
interface GrowingSystem extends SystemUnderLoad {
  /** Starts a process with this role, and waits until it is ready. */
  start(name: string, role: (typeof ROLES)[number], env?: Record<string, string>): Promise<void>;
}

async function startServices(cluster: Cluster, directory: string): Promise<GrowingSystem> {
  const keys = { apiKey: makeKey('sandbox'), adminKey: makeKey('admin') };
  const secretFiles = await writeSecretFiles(directory);
  const processes: SupervisedBadge[] = [];
  const apis: SupervisedBadge[] = [];
  const system: GrowingSystem = {
    processes,
    apis,
    isAttacked: false,
    databaseUrl: cluster.addressUrl,
    ...keys,
    isUp: () => processes.every(({ isReady }) => isReady),
    async start(name, role, env = {}) {
      const dataDir = join(directory, name);
      await mkdir(dataDir);
      const variables = {
        ...cluster.serviceEnv,
        ...secretFiles,
        BADGE_ROLE: role,
        BADGE_DATA_DIR: dataDir,
        BADGE_DEMO_API_KEY: keys.apiKey,
        BADGE_ADMIN_KEY: keys.adminKey,
        ...env,
      };
      const service = superviseBadge(name, variables, { file: ENTRY_POINT });
      processes.push(service);
      if (role !== 'worker') apis.push(service);
      await waitUntilUp(system);
    },
  };
  for (const role of ROLES) await system.start(role, role);
  return system;
}

interface Plan {
  failure: Failure;
  endsSessions: boolean;
}

// The seed decides the order of the failures. In the first half of the rounds, HAProxy keeps the sessions to
// an old primary.
function planRounds({ roundCount, failures, seed }: ModeOptions): Plan[] {
  const random = createRandom(seed).fork('rounds');
  const shuffled = failures
    .map((failure) => ({ failure, draw: random.next() }))
    .toSorted((a, b) => a.draw - b.draw)
    .map(({ failure }) => failure);
  return Array.from({ length: roundCount }, (_, index) => {
    const failure = shuffled[index % shuffled.length];
    if (failure === undefined) throw new Error('there are no failures');
    return { failure, endsSessions: index >= roundCount / 2 };
  });
}

interface RoundContext {
  cluster: Cluster;
  system: SystemUnderLoad;
  accepted: AcceptedWrite[];
}

async function runRound(
  { failure, endsSessions }: Plan,
  { cluster, system, accepted }: RoundContext,
): Promise<Omit<Round, 'lost'>> {
  const beganTimestamp = Date.now();
  await cluster.setShutdownSessions(endsSessions);
  const { primary, candidate } = await cluster.waitUntilHealthy();
  const servers = new Map(
    cluster.machines.map((machine) => [machine, startServerProber(cluster.urlOf(machine))]),
  );
  const address = startAddressProber(cluster.addressUrl);
  const readiness = system.processes.map((service) => startReadinessProber(service));
  const processIds = system.processes.map(({ pid }) => pid);
  // The writes of earlier rounds do not count.
  accepted.length = 0;
  await wait(STEADY_MS);

  const samples: RoundSamples = {
    beganMs: performance.now(),
    mayKeepPrimary: failure.mayKeepPrimary ?? false,
    oldPrimary: servers.get(primary)?.samples ?? [],
    otherServers: cluster.machines.filter((m) => m !== primary).map((m) => servers.get(m)?.samples ?? []),
    databaseAddress: address.samples,
    readiness: readiness.map((prober) => prober.samples),
    accepted,
    apis: system.apis.map(({ name }) => name),
  };
  await failure.begin(cluster, primary, candidate);
  await waitUntilRecovered(samples);
  await wait(AFTER_RECOVERY_MS);
  const figures = summarizeRound(samples);
  await failure.end(cluster, primary);
  await cluster.waitUntilHealthy();
  for (const prober of [...servers.values(), address, ...readiness]) await prober.stop();
  const restarts = system.processes.filter(({ pid }, index) => pid !== processIds[index]).length;
  return { failure, endsSessions, beganTimestamp, oldPrimary: primary.name, restarts, ...figures };
}

async function waitUntilRecovered(samples: RoundSamples): Promise<void> {
  const deadlineMs = performance.now() + RECOVERY_TIMEOUT_MS;
  for (;;) {
    const primaryMs = findNewPrimaryMs(samples) ?? Infinity;
    const isAddressRight = samples.databaseAddress.some(
      ({ isSuccess, beganMs }) => isSuccess && beganMs > primaryMs,
    );
    const waiting = samples.apis.filter(
      (api) => !samples.accepted.some(({ process, sentMs }) => process === api && sentMs > primaryMs),
    );
    if (isAddressRight && waiting.length === 0) return;
    if (performance.now() > deadlineMs) {
      const causes = [
        ...(primaryMs === Infinity ? ['no server accepts writes'] : []),
        ...(isAddressRight ? [] : ['the address of the database accepts no writes']),
        ...waiting.map((api) => `${api} accepts no writes`),
      ];
      throw new Error(`not recovered from the failure: ${causes.join(', ')}`);
    }
    await wait(POLL_MS);
  }
}

/** Adds to each round how many of its accepted operations are missing from the database. */
function countLost(rounds: Omit<Round, 'lost'>[], { entries, evidence: { database } }: Judgement): Round[] {
  const lost = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type !== 'result' || entry.result.outcome !== 'accepted') continue;
    const id = operationIdOf(entry.result.location);
    if (!database.operations.has(id) && !lost.has(id)) lost.set(id, entry.atMs);
  }
  return rounds.map((round, index) => {
    const endTimestamp = rounds[index + 1]?.beganTimestamp ?? Infinity;
    const times = [...lost.values()].filter((atMs) => atMs >= round.beganTimestamp && atMs < endTimestamp);
    return { ...round, lost: times.length };
  });
}
