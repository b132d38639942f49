import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, FaultContext } from './fault.ts';
import { FAULTS } from './faults.ts';
import { injectKills } from './kills.ts';

const MAX_RECOVERY_WAIT_MS = 5_000;
const SHORT_SCENARIO_MS = 60_000;
const LONG_SCENARIO_MS = 240_000;
// In a short scenario, `holdFor` waits for this fraction of the time.
const SHORT_HOLD_FACTOR = 0.25;
// Faults that have not happened yet are chosen first: those that are missing in the whole run, then those
// that are missing in this scenario. After this many attempts, a fault is chosen like any other.
const MAX_PREFERRED_ATTEMPTS = 5;
const IDLE_PAUSE_MS = 500;

const CHANCE_OF_KILLS_DURING_FAULT = 0.4;
const CHANCE_OF_WAIT_FOR_RECOVERY = 0.75;

type NemesisOptions = Omit<FaultContext, 'holdFor'> & {
  /** How long the faults of this scenario last. */
  durationMs: number;
  /** Only faults whose names contain this text. */
  faultFilter: string;
  /** The names of the faults that have happened in earlier scenarios of this run. */
  happened: ReadonlySet<string>;
};

/**
 * Injects faults until it is stopped. Each round injects kills one to three times, then another fault.
 * Sometimes there are more kills during this fault. Attacks and failovers take long, so kills are injected
 * only once before each.
 */
export function startNemesis({ durationMs, faultFilter, happened, ...parts }: NemesisOptions) {
  const { random, recoveries, system } = parts;
  const stopping = new AbortController();
  const holdFactor = durationMs < SHORT_SCENARIO_MS ? SHORT_HOLD_FACTOR : 1;
  const pause = (ms: number) =>
    wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined) as Promise<void>;
  const context: FaultContext = {
    ...parts,
    holdFor: (minMs, maxMs) => pause(random.integer(minMs, maxMs) * holdFactor),
  };
  // After a kill during another fault, the system recovers only when that fault ends. These recoveries are
  // counted under their own name.
  const contextDuringFault: FaultContext = {
    ...context,
    recoveries: {
      ...recoveries,
      begin: (recovery) =>
        recoveries.begin({ ...recovery, fault: `${recovery.fault}, during another fault` }),
    },
  };

  const hasFailovers = system.serverPair !== null;
  function mayBeInjected(fault: Fault): boolean {
    const { name, isKill = false, isAttack = false, isFailover = false, needsLongScenario = false } = fault;
    if (!name.includes(faultFilter)) return false;
    if (needsLongScenario && durationMs < LONG_SCENARIO_MS) return false;
    if (fault.isPossible?.(system) === false) return false;
    // Every scenario has kills. Besides these, one scenario has only attacks, one only failovers, and the
    // others neither.
    return isKill || (isAttack === system.isAttacked && isFailover === hasFailovers);
  }

  const possible = FAULTS.filter(mayBeInjected);
  const kills = possible.filter(({ isKill }) => isKill);
  const hasKills = kills.length > 0;
  const otherFaults = possible.filter(({ isKill }) => !isKill);
  const counts = new Map(possible.map(({ name }) => [name, 0]));
  const attempts = new Map<string, number>();
  const count = ({ name }: Fault, times: number) => counts.set(name, (counts.get(name) ?? 0) + times);

  function chooseFault(): Fault | undefined {
    const missing = otherFaults.filter(
      ({ name }) => counts.get(name) === 0 && (attempts.get(name) ?? 0) < MAX_PREFERRED_ATTEMPTS,
    );
    const missingInRun = missing.filter(({ name }) => !happened.has(name));
    if (missingInRun.length > 0) return random.pick(missingInRun);
    if (missing.length > 0) return random.pick(missing);
    // A fault is chosen with a probability in proportion to its weight.
    let draw = random.next() * otherFaults.reduce((sum, { weight }) => sum + weight, 0);
    return otherFaults.find(({ weight }) => {
      draw -= weight;
      return draw < 0;
    });
  }

  async function kill(): Promise<void> {
    const missing = kills.filter(({ name }) => counts.get(name) === 0);
    await injectKills(context, missing.length > 0 ? missing : kills, count);
    // Sometimes does not wait, so that the next kill comes while the system is still recovering.
    if (random.chance(CHANCE_OF_WAIT_FOR_RECOVERY)) await recoveries.waitUntilRecovered(MAX_RECOVERY_WAIT_MS);
    await pause(random.integer(300, 1_000));
  }

  async function inject(fault: Fault): Promise<void> {
    attempts.set(fault.name, (attempts.get(fault.name) ?? 0) + 1);
    let isOver = false;
    const injection = fault.inject(context).finally(() => {
      isOver = true;
    });
    if (hasKills && fault.excludesKills !== true && random.chance(CHANCE_OF_KILLS_DURING_FAULT)) {
      while (!isOver && !stopping.signal.aborted) {
        await pause(random.integer(500, 2_000));
        if (!isOver) await injectKills(contextDuringFault, kills, count);
      }
    }
    count(fault, await injection);
    recoveries.begin({ fault: fault.name });
    await recoveries.waitUntilRecovered(MAX_RECOVERY_WAIT_MS);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const killCount = system.isAttacked || hasFailovers ? 1 : random.integer(1, 3);
      for (let left = killCount; hasKills && left > 0 && !stopping.signal.aborted; left -= 1) await kill();
      const fault = chooseFault();
      if (fault === undefined && !hasKills) await pause(IDLE_PAUSE_MS);
      if (fault !== undefined && !stopping.signal.aborted) await inject(fault);
    }
  }

  const running = run();
  return {
    counts,
    /** Starts no more faults. Resolves when the last one is over. */
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
