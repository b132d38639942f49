import { setTimeout as wait } from 'node:timers/promises';
import type { SupervisedBadge } from '@badge/test-support/supervised-badge';
import type { System } from '../system/system.ts';
import type { Fault, Stage } from './fault.ts';

// What was sent so long before SIGTERM was surely read by the process.
const SURELY_READ_MS = 250;
const hasSeveral = ({ processes }: System) => processes.length > 1;
const isWorking = ({ name }: SupervisedBadge) => name !== 'api';

async function pause(services: SupervisedBadge[], duration: Promise<void>): Promise<number> {
  const paused = services.filter((service) => service.signal('SIGSTOP'));
  await duration;
  for (const service of paused) service.signal('SIGCONT');
  return paused.length;
}

const PAUSE_PROCESS: Fault = {
  name: 'process stopped and resumed',
  weight: 3,
  async strike({ system, random, last }) {
    const service = random.pick(system.processes);
    return service === undefined ? 0 : await pause([service], last(500, 6_000));
  },
};

const PAUSE_WORKER_FOR_LONG: Fault = {
  name: 'worker stopped until its locks are gone',
  weight: 0.3,
  isPossible: hasSeveral,
  isLong: true,
  async strike({ system, last }) {
    const worker = system.processes.find(({ name }) => name === 'worker');
    // PostgreSQL ends a transaction that is idle for 15 s.
    return worker === undefined ? 0 : await pause([worker], last(17_000, 20_000));
  },
};

const PAUSE_ALL_WORKERS: Fault = {
  name: 'no worker until writes are refused',
  weight: 0.3,
  isPossible: hasSeveral,
  isLong: true,
  isAlone: true,
  async strike({ system, client, journal, last }) {
    const refusedBefore = client.counts.unavailable;
    const readsBefore = client.counts.reads;
    const paused = await pause(system.processes.filter(isWorking), last(19_000, 22_000));
    if (client.counts.reads === readsBefore) {
      await journal.append({
        type: 'violation',
        invariant: 'I10',
        detail: 'no read was answered while writes were refused',
      });
    }
    return paused === 2 && client.counts.unavailable > refusedBefore ? 1 : 0;
  },
};

/** Ends a process with SIGTERM; every request that it has surely read must be answered. */
async function terminate({ client, journal, recoveries }: Stage, service: SupervisedBadge): Promise<boolean> {
  await recoveries.waitUntilRecovered(10_000);
  const signalledAtMs = performance.now();
  const inFlight = client
    .inFlight(service.name)
    .filter(({ sentAtMs }) => sentAtMs < signalledAtMs - SURELY_READ_MS);
  const ended = service.terminate();
  if (ended === undefined) return false;
  const end = await ended;
  if (end !== 0) {
    await journal.append({
      type: 'violation',
      invariant: 'I11',
      detail: `${service.name} ended with ${end} after SIGTERM`,
    });
  }
  for (const { description, answered } of inFlight) {
    if (await answered) continue;
    await journal.append({ type: 'violation', invariant: 'I11', detail: `SIGTERM lost ${description}` });
  }
  await journal.append({ type: 'checked', invariant: 'I11', count: inFlight.length + 1 });
  return true;
}

const TERMINATE_PROCESS: Fault = {
  name: 'SIGTERM of a service',
  weight: 3,
  isAlone: true,
  async strike(stage) {
    const service = stage.random.pick(stage.system.processes);
    return service !== undefined && (await terminate(stage, service)) ? 1 : 0;
  },
};

const RESTART_ALL: Fault = {
  name: 'rolling restart',
  weight: 1,
  isPossible: hasSeveral,
  isAlone: true,
  async strike(stage) {
    const { system, client, journal } = stage;
    const failedBefore = client.counts.failedTwice;
    let restarted = 0;
    for (const service of system.processes) {
      if (await terminate(stage, service)) restarted += 1;
      while (!service.isReady) await wait(20);
    }
    const failed = client.counts.failedTwice - failedBefore;
    if (failed > 0) {
      await journal.append({
        type: 'violation',
        invariant: 'I11',
        detail: `${failed} requests failed twice in a rolling restart`,
      });
    }
    await journal.append({ type: 'checked', invariant: 'I11', count: 1 });
    return restarted === system.processes.length ? 1 : 0;
  },
};

const SHIFT_CLOCK: Fault = {
  name: 'clock two hours off',
  weight: 2,
  async strike({ system, random, last }) {
    const service = random.pick(system.processes);
    if (service === undefined || !service.signal('SIGUSR2')) return 0;
    await last(1_000, 3_000);
    return 1;
  },
};

/** Faults of the service's processes, kills apart. */
export const PROCESS_FAULTS: Fault[] = [
  PAUSE_PROCESS,
  PAUSE_WORKER_FOR_LONG,
  PAUSE_ALL_WORKERS,
  TERMINATE_PROCESS,
  RESTART_ALL,
  SHIFT_CLOCK,
];
