import { setTimeout as wait } from 'node:timers/promises';
import { CLIENT_FAULTS } from './client-faults.ts';
import { DATABASE_FAULTS } from './database-faults.ts';
import { DISK_FAULTS } from './disk-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { KILL_POSTGRES, KILL_SERVICE, killSomething } from './kills.ts';
import { PROCESS_FAULTS } from './process-faults.ts';

const LONGEST_RECOVERY_WAIT_MS = 5_000;
const SHORT_RUN_MS = 60_000;
const LONG_RUN_MS = 240_000;
// In a short run the faults last as much less.
const SHORT_PACE = 0.25;
const MOST_ATTEMPTS = 5;
const NOTHING_TO_DO_MS = 500;

/** Every fault that there is. */
export const FAULTS: readonly Fault[] = [
  KILL_SERVICE,
  KILL_POSTGRES,
  ...DATABASE_FAULTS,
  ...PROCESS_FAULTS,
  ...CLIENT_FAULTS,
  ...DISK_FAULTS,
];

type NemesisParts = Omit<Stage, 'last'> & {
  durationMs: number;
  /** Only faults whose names hold this text. */
  named: string;
};

/** Harms the system until it is stopped: mostly kills, and between them every other fault, alone or with kills. */
export function startNemesis({ durationMs, named, ...parts }: NemesisParts) {
  const { random, recoveries } = parts;
  const stopping = new AbortController();
  const pace = durationMs < SHORT_RUN_MS ? SHORT_PACE : 1;
  const pause = (ms: number) =>
    wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined) as Promise<void>;
  const stage: Stage = {
    ...parts,
    last: (shortestMs, longestMs) => pause(random.integer(shortestMs, longestMs) * pace),
  };
  const begin: typeof recoveries.begin = (recovery) =>
    recoveries.begin({ ...recovery, fault: `${recovery.fault}, amid another fault` });
  const amidFault: Stage = { ...stage, recoveries: { ...recoveries, begin } };
  const possible = FAULTS.filter(
    ({ name, isPossible = () => true, isLong = false }) =>
      isPossible(parts.system) && (!isLong || durationMs >= LONG_RUN_MS) && name.includes(named),
  );
  const mayKill = possible.some(({ isKill }) => isKill);
  const counts = new Map(possible.map(({ name }) => [name, 0]));
  const attempts = new Map<string, number>();
  const note = ({ name }: Fault, times: number) => counts.set(name, (counts.get(name) ?? 0) + times);

  function chooseFault(): Fault | undefined {
    const others = possible.filter(({ isKill }) => !isKill);
    // What has not come yet comes first, in an order of the seed's.
    const missing = others.filter(
      ({ name }) => counts.get(name) === 0 && (attempts.get(name) ?? 0) < MOST_ATTEMPTS,
    );
    if (missing.length > 0) return random.pick(missing);
    let left = random.next() * others.reduce((sum, { weight }) => sum + weight, 0);
    return others.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
  }

  async function kill(): Promise<void> {
    // Most kills hit a system that works; some hit one that is still recovering.
    await killSomething(stage, note);
    if (random.hasLuck(0.75)) await recoveries.waitUntilRecovered(LONGEST_RECOVERY_WAIT_MS);
    await pause(random.integer(300, 1_000));
  }

  async function strike(fault: Fault): Promise<void> {
    attempts.set(fault.name, (attempts.get(fault.name) ?? 0) + 1);
    let isOver = false;
    const striking = fault.strike(stage).finally(() => {
      isOver = true;
    });
    if (mayKill && fault.isAlone !== true && random.hasLuck(0.4)) {
      while (!isOver && !stopping.signal.aborted) {
        await pause(random.integer(500, 2_000));
        if (!isOver) await killSomething(amidFault, note);
      }
    }
    note(fault, await striking);
    recoveries.begin({ fault: fault.name });
    await recoveries.waitUntilRecovered(LONGEST_RECOVERY_WAIT_MS);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (let kills = mayKill ? random.integer(1, 3) : 0; kills > 0 && !stopping.signal.aborted; kills -= 1)
        await kill();
      const fault = chooseFault();
      if (fault === undefined && !mayKill) await pause(NOTHING_TO_DO_MS);
      if (fault !== undefined && !stopping.signal.aborted) await strike(fault);
    }
  }

  const running = run();
  return {
    counts,
    /** Resolves once the last fault is undone. */
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
