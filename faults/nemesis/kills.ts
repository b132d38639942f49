import type { Fault, Stage } from './fault.ts';

/** SIGKILL of a service process, whatever it does. */
export const KILL_SERVICE: Fault = {
  name: 'kill -9 of a service',
  weight: 0,
  isKill: true,
  async strike({ system, random, recoveries, journal }) {
    const service = random.pick(system.processes);
    const pid = service?.pid;
    if (service === undefined || pid === undefined || !service.kill()) return 0;
    const isApi = system.apis.includes(service);
    recoveries.begin({ fault: this.name, ...(isApi ? { process: service.name } : {}) });
    await journal.append({ type: 'kill', target: service.name, pid });
    return 1;
  },
};

/** SIGKILL of PostgreSQL's postmaster. */
export const KILL_POSTGRES: Fault = {
  name: 'kill -9 of PostgreSQL',
  weight: 0,
  isKill: true,
  async strike({ system, recoveries, journal }) {
    const pid = await system.killPostgres();
    if (pid === undefined) return 0;
    recoveries.begin({ fault: this.name });
    await journal.append({ type: 'kill', target: 'postgres', pid });
    return 1;
  },
};

/** Kills a service, PostgreSQL, or both at once; answers how many. */
export async function killSomething(
  stage: Stage,
  note: (fault: Fault, times: number) => void,
): Promise<void> {
  const choice = stage.random.next();
  const chosen =
    choice < 0.5 ? [KILL_SERVICE] : choice < 0.85 ? [KILL_POSTGRES] : [KILL_SERVICE, KILL_POSTGRES];
  for (const fault of chosen) note(fault, await fault.strike(stage));
}
