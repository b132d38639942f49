import { setTimeout as wait } from 'node:timers/promises';
import { startNginx } from '@badge/test-support/nginx';
import type { ProbeResult } from '../journal.ts';
import type { FaultContext } from '../nemesis/fault.ts';
import { waitUntilUp } from '../system/system.ts';
import type { Attack, AttackOrder, Counts } from './attack.ts';
import { createCallers } from './callers.ts';
import { startChild } from './child.ts';
import { type LoggingProcess, startLoggingProcess } from './logging-process.ts';
import { readPeakBytes, resetPeak } from './memory.ts';
import type { ProbeOrder } from './prober.ts';

const REPEAT_PAUSE_MS = 300;
// A process with so much memory violates I13 anyway. It is killed before the machine runs out of memory.
const KILL_AT_BYTES = 3 * 10 ** 9;

/** The number of attacks that this run has started. */
let attacks = 0;
/** How often each attack has been started. */
const startsByName = new Map<string, number>();

/**
 * Whether the next run of an attack goes through nginx: every run of an attack on connections, otherwise
 * every second.
 */
function goesThroughProxy({ name, isOnConnections = false }: Attack): boolean {
  const starts = startsByName.get(name) ?? 0;
  startsByName.set(name, starts + 1);
  return isOnConnections || starts % 2 === 0;
}

/**
 * Attacks a service process while the prober sends probes to it, both through nginx or both directly.
 * Journals the results for I13. Returns false if the attack did not really happen.
 */
export async function runAttack(attack: Attack, context: FaultContext): Promise<boolean> {
  const { system, client, journal, random } = context;
  await waitUntilUp(system);
  const { attacker, bystander } = await createCallers(client, system.adminKey);
  const params = (await attack.prepare?.(system.databaseUrl)) ?? {};
  let logging: LoggingProcess | undefined;
  try {
    if (attack.brokenLog !== undefined) logging = await startLoggingProcess(system, attack.brokenLog);
  } catch (error) {
    await journal.violation('I13', `${attack.name}: the process did not start: ${error}`);
    return false;
  }
  const { url: serviceUrl = '', pid: attackedPid } = logging ?? random.pick(system.apis) ?? {};
  const nginx = goesThroughProxy(attack) ? await startNginx({ upstreams: [serviceUrl] }) : undefined;
  const url = nginx?.url ?? serviceUrl;
  const shownName = `${attack.name}, ${nginx === undefined ? 'directly' : 'through nginx'}`;
  const processes: WatchedProcess[] = system.processes.map(({ name, pid, kill }) => ({ name, pid, kill }));
  if (logging !== undefined) {
    const { pid } = logging;
    processes.push({ name: 'logging', pid, kill: () => process.kill(pid, 'SIGKILL') });
  }
  for (const { pid } of processes) if (pid !== undefined) await resetPeak(pid);

  attacks += 1;
  const uniqueName = `${attack.name} ${attacks} of ${system.name}`;
  const probeOrder: ProbeOrder = {
    url,
    pid: attackedPid,
    caller: bystander,
    uniqueName: `Probe of ${uniqueName}`,
  };
  const attackOrder: AttackOrder = { attack: attack.name, url, caller: attacker, uniqueName, params };
  const prober = startChild<ProbeResult>('./prober.ts', probeOrder);
  await prober.started;
  const attackProcess = startChild<Counts>('./attacker.ts', attackOrder);
  await attackProcess.started;
  const inspection = inspectRepeatedly(attack, context);
  const memoryWatch = killProcessesWithTooMuchMemory(shownName, processes, journal);
  // The attack continues if the run ends meanwhile, because a shorter attack would show little.
  await wait(attack.durationMs);
  const counts = (await attackProcess.stop()).at(-1) ?? {};
  const probes = await prober.stop();
  await inspection.stop();
  await memoryWatch.stop();
  await nginx?.stop();

  await journalFigures(shownName, journal, { counts, probes, processes });
  const stopProblem = await logging?.stop();
  if (stopProblem) await journal.violation('I13', `${attack.name}: ${stopProblem}`);
  await attack.restore?.(system.databaseUrl);
  return attack.hasHappened(counts);
}

interface WatchedProcess {
  name: string;
  pid: number | undefined;
  kill(): void;
}

async function journalFigures(
  attack: string,
  journal: FaultContext['journal'],
  { counts, probes, processes }: { counts: Counts; probes: ProbeResult[]; processes: WatchedProcess[] },
): Promise<void> {
  await journal.append({ type: 'attack', attack, counts });
  for (const probe of probes) await journal.append({ type: 'probe', attack, ...probe });
  for (const { name, pid } of processes) {
    const peakBytes = pid === undefined ? undefined : await readPeakBytes(pid);
    if (peakBytes !== undefined) await journal.append({ type: 'memory', attack, process: name, peakBytes });
  }
}

function killProcessesWithTooMuchMemory(
  attack: string,
  processes: WatchedProcess[],
  journal: FaultContext['journal'],
) {
  const killed = new Set<WatchedProcess>();
  return repeatUntilStopped(async () => {
    for (const watched of processes) {
      const { name, pid, kill } = watched;
      const peakBytes = pid === undefined || killed.has(watched) ? 0 : ((await readPeakBytes(pid)) ?? 0);
      if (peakBytes < KILL_AT_BYTES) continue;
      killed.add(watched);
      kill();
      await journal.append({ type: 'memory', attack, process: name, peakBytes });
    }
  });
}

function inspectRepeatedly({ name, inspect }: Attack, { system, journal }: FaultContext) {
  return repeatUntilStopped(async () => {
    const violation = await inspect?.(system.databaseUrl);
    if (violation === undefined) return;
    if (violation === null) await journal.checked('I13', 1);
    else await journal.violation('I13', `${name}: ${violation}`);
  });
}

function repeatUntilStopped(work: () => Promise<void>) {
  let isOver = false;
  async function run(): Promise<void> {
    while (!isOver) {
      await work();
      await wait(REPEAT_PAUSE_MS);
    }
  }
  const running = run();
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}
