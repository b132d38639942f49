import type { Random } from '../random.ts';
import type { Fault, FaultContext } from './fault.ts';

export const KILL_SERVICE: Fault = {
  name: 'kill -9 of a service',
  effect: 'Kills a random service process with SIGKILL. It is started again.',
  countsIf: 'a process was killed',
  // Not chosen by weight: see `isKill`.
  weight: 0,
  isKill: true,
  async inject({ system, random, recoveries, journal }) {
    const service = random.pick(system.processes);
    const pid = service?.pid;
    if (service === undefined || pid === undefined || !service.kill()) return 0;
    const isApi = system.apis.includes(service);
    recoveries.begin({ fault: this.name, ...(isApi ? { process: service.name } : {}) });
    await journal.append({ type: 'kill', target: service.name, pid });
    return 1;
  },
};

export const KILL_POSTGRES: Fault = {
  name: 'kill -9 of PostgreSQL',
  effect: 'Kills the postmaster with SIGKILL. PostgreSQL is started again.',
  countsIf: 'a postmaster was killed',
  // Not chosen by weight: see `isKill`.
  weight: 0,
  isKill: true,
  isPossible: ({ killPostgres }) => killPostgres !== null,
  async inject({ system, recoveries, journal }) {
    const pid = await system.killPostgres?.();
    if (pid === undefined) return 0;
    recoveries.begin({ fault: this.name });
    await journal.append({ type: 'kill', target: 'postgres', pid });
    return 1;
  },
};

/**
 * Injects one or both of the kills, drawn at random. Leaves out those that are not in `possible`. If none is
 * left, injects all of `possible`. Calls `count` for each.
 */
export async function injectKills(
  context: FaultContext,
  possible: Fault[],
  count: (fault: Fault, times: number) => void,
): Promise<void> {
  const allowed = drawKills(context.random).filter((fault) => possible.includes(fault));
  for (const fault of allowed.length > 0 ? allowed : possible) count(fault, await fault.inject(context));
}

function drawKills(random: Random): Fault[] {
  const draw = random.next();
  if (draw < 0.5) return [KILL_SERVICE];
  return draw < 0.85 ? [KILL_POSTGRES] : [KILL_SERVICE, KILL_POSTGRES];
}
