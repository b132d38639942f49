import { setTimeout as wait } from 'node:timers/promises';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import type { Recoveries } from './recoveries.ts';
import type { System } from './system.ts';

const LONGEST_RECOVERY_WAIT_MS = 5_000;
// On a machine so slow that waiting for each recovery falls behind this, kills do not wait.
const LEAST_KILLS_PER_SECOND = 0.5;

/** How often each target was killed. */
export type Kills = Record<'service' | 'postgres', number>;

interface KillerParts {
  system: System;
  random: Random;
  journal: Journal;
  recoveries: Recoveries;
}

/** Kills with SIGKILL until it is stopped: a service, PostgreSQL, or both at once. */
export function startKiller({ system, random, journal, recoveries }: KillerParts) {
  const kills: Kills = { service: 0, postgres: 0 };
  const stopping = new AbortController();

  async function killService(): Promise<void> {
    const service = random.pick(system.processes);
    const pid = service?.pid;
    if (service === undefined || pid === undefined || !service.kill()) return;
    kills.service += 1;
    const isApi = system.apis.includes(service);
    recoveries.noteKill(isApi ? { target: 'service', process: service.name } : { target: 'service' });
    await journal.append({ type: 'kill', target: service.name, pid });
  }

  async function killPostgres(): Promise<void> {
    const pid = await system.killPostgres();
    if (pid === undefined) return;
    kills.postgres += 1;
    recoveries.noteKill({ target: 'postgres' });
    await journal.append({ type: 'kill', target: 'postgres', pid });
  }

  async function run(): Promise<void> {
    const beganMs = performance.now();
    while (!stopping.signal.aborted) {
      // Each target at least once, however short the run.
      const choice = kills.service === 0 ? 0 : kills.postgres === 0 ? 1 : random.next();
      if (choice < 0.7) await killService();
      if (choice > 0.4) await killPostgres();
      // Most kills hit a system that works; some hit one that is still recovering.
      const isBehind =
        kills.service + kills.postgres < ((performance.now() - beganMs) / 1000) * LEAST_KILLS_PER_SECOND;
      if (!isBehind && random.hasLuck(0.75)) await recoveries.waitUntilRecovered(LONGEST_RECOVERY_WAIT_MS);
      await wait(random.integer(400, 1_200), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    kills,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
