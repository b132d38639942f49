import { setTimeout as wait } from 'node:timers/promises';
import type { SupervisedBadge } from '@badge/test-support/supervised-badge';
import type { System } from '../system/system.ts';
import type { Fault, FaultContext } from './fault.ts';

// A request that was sent this long ago has certainly been read by the process.
const READ_WITHIN_MS = 250;
const RECOVERY_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

const hasSeveralProcesses = ({ processes }: System) => processes.length > 1;

/** Stops processes with SIGSTOP, and resumes them when `end` resolves. Returns how many were stopped. */
async function pause(services: SupervisedBadge[], end: Promise<void>): Promise<number> {
  const paused = services.filter((service) => service.signal('SIGSTOP'));
  await end;
  for (const service of paused) service.signal('SIGCONT');
  return paused.length;
}

const PAUSE_PROCESS: Fault = {
  name: 'process stopped and resumed',
  effect: 'Stops a random process for 0.5 to 6 s (SIGSTOP, SIGCONT).',
  countsIf: 'a process was stopped',
  weight: 3,
  async inject({ system, random, holdFor }) {
    const service = random.pick(system.processes);
    return service === undefined ? 0 : await pause([service], holdFor(500, 6_000));
  },
};

const PAUSE_WORKER_FOR_LONG: Fault = {
  name: 'worker stopped until its locks are gone',
  effect: 'Stops the worker for so long (more than 15 s) that PostgreSQL ends its idle transaction.',
  countsIf: 'the worker was stopped',
  weight: 0.3,
  isPossible: hasSeveralProcesses,
  needsLongScenario: true,
  async inject({ system, holdFor }) {
    const worker = system.processes.find(({ name }) => name === 'worker');
    return worker === undefined ? 0 : await pause([worker], holdFor(17_000, 20_000));
  },
};

const PAUSE_ALL_WORKERS: Fault = {
  name: 'no worker until writes are refused',
  effect: 'Stops every process that settles operations until writes get 503. Reads must continue (I10).',
  countsIf: 'all of these processes were stopped, and a write was refused with 503',
  weight: 0.3,
  isPossible: hasSeveralProcesses,
  needsLongScenario: true,
  excludesKills: true,
  async inject({ system, client, journal, holdFor }) {
    const refusedBefore = client.counts.unavailable;
    const readsBefore = client.counts.reads;
    const workers = system.processes.filter(({ name }) => name !== 'api');
    const paused = await pause(workers, holdFor(19_000, 22_000));
    if (client.counts.reads === readsBefore)
      await journal.violation('I10', 'no read succeeded while writes were refused');
    return paused === workers.length && client.counts.unavailable > refusedBefore ? 1 : 0;
  },
};

/**
 * Waits until every process is ready by its readiness probe. Returns false if one is not within 10 seconds.
 */
async function waitUntilReady(processes: readonly SupervisedBadge[]): Promise<boolean> {
  const deadlineMs = performance.now() + RECOVERY_TIMEOUT_MS;
  const isReady = async ({ isReady: isUp, url }: SupervisedBadge) =>
    isUp &&
    (url === undefined ||
      (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(RECOVERY_TIMEOUT_MS) }).then(
        ({ ok }) => ok,
        () => false,
      )));
  while (!(await Promise.all(processes.map(isReady))).every(Boolean)) {
    if (performance.now() > deadlineMs) return false;
    await wait(POLL_MS);
  }
  return true;
}

/** Ends a process with SIGTERM, and checks I11. Returns false if the process was not ready. */
async function terminate(context: FaultContext, service: SupervisedBadge): Promise<boolean> {
  const { client, journal, recoveries } = context;
  await recoveries.waitUntilRecovered(RECOVERY_TIMEOUT_MS);
  const signalledAtMs = performance.now();
  const inFlight = client
    .inFlight(service.name)
    .filter(({ sentAtMs }) => sentAtMs < signalledAtMs - READ_WITHIN_MS);
  const termination = service.terminate();
  if (termination === undefined) return false;
  const end = await termination;
  if (end !== 0) await journal.violation('I11', `${service.name} ended with ${end} after SIGTERM`);
  for (const { description, isLost } of inFlight) {
    if (await isLost) await journal.violation('I11', `SIGTERM lost ${description}`);
  }
  await journal.checked('I11', inFlight.length + 1);
  return true;
}

const TERMINATE_PROCESS: Fault = {
  name: 'SIGTERM of a service',
  effect:
    'Ends a random process with SIGTERM. It must respond to its requests in flight and exit with 0 (I11).',
  countsIf: 'a process was ended',
  weight: 3,
  excludesKills: true,
  async inject(context) {
    const service = context.random.pick(context.system.processes);
    return service !== undefined && (await terminate(context, service)) ? 1 : 0;
  },
};

const ROLLING_RESTART: Fault = {
  name: 'rolling restart',
  effect: 'Ends every process with SIGTERM, one after the other. No request may fail twice (I11).',
  countsIf: 'every process was restarted',
  weight: 1,
  isPossible: hasSeveralProcesses,
  excludesKills: true,
  async inject(context) {
    const { system, client, journal, recoveries } = context;
    await recoveries.waitUntilRecovered(RECOVERY_TIMEOUT_MS);
    // A process that is not ready cannot accept the requests that another one refuses while it stops.
    if (!(await waitUntilReady(system.processes))) return 0;
    const failedBefore = client.counts.failedTwice;
    let restarted = 0;
    for (const service of system.processes) {
      if (await terminate(context, service)) restarted += 1;
      if (!(await waitUntilReady(system.processes))) break;
    }
    const failed = client.counts.failedTwice - failedBefore;
    if (failed > 0) await journal.violation('I11', `${failed} requests failed twice in a rolling restart`);
    await journal.checked('I11', 1);
    return restarted === system.processes.length ? 1 : 0;
  },
};

const SHIFT_CLOCK: Fault = {
  name: 'clock two hours off',
  effect: 'Sets the clock of a random process two hours ahead, two hours back, or to the right time.',
  countsIf: 'a process got the signal',
  weight: 2,
  async inject({ system, random, holdFor }) {
    const service = random.pick(system.processes);
    if (service === undefined || !service.signal('SIGUSR2')) return 0;
    await holdFor(1_000, 3_000);
    return 1;
  },
};

/** Faults of the service's processes, except kills. */
export const PROCESS_FAULTS: Fault[] = [
  PAUSE_PROCESS,
  PAUSE_WORKER_FOR_LONG,
  PAUSE_ALL_WORKERS,
  TERMINATE_PROCESS,
  ROLLING_RESTART,
  SHIFT_CLOCK,
];
