import type { Journal } from '../journal.ts';
import type { Client } from '../load/client.ts';
import type { Random } from '../random.ts';
import type { System } from '../system/system.ts';
import type { Recoveries } from './recoveries.ts';

/** What a fault may use. */
export interface FaultContext {
  system: System;
  client: Client;
  journal: Journal;
  random: Random;
  recoveries: Recoveries;
  /**
   * Waits for a random time between `minMs` and `maxMs`, less in a short scenario. Ends early when the
   * nemesis is stopped.
   */
  holdFor(minMs: number, maxMs: number): Promise<void>;
}

/** One kind of failure that is injected into a system. */
export interface Fault {
  name: string;
  /** What the fault does. */
  effect: string;
  /** What must be true for the fault to count as having happened. */
  countsIf: string;
  /** How often it is chosen, relative to the others. */
  weight: number;
  /** Returns true if it can be injected into this system. Default: always. */
  isPossible?(system: System): boolean;
  /** Kills are not chosen by weight: they come between the other faults, and during some of them. */
  isKill?: boolean;
  /**
   * True if one caller tries to harm the others. The scenario `attacks` has only attacks and kills; the
   * others have no attacks.
   */
  isAttack?: boolean;
  /**
   * True if the standby becomes the primary. The scenario `failover` has only failovers and kills; the others
   * have no failovers.
   */
  isFailover?: boolean;
  /** True if kills during this fault would hide what it tests. */
  excludesKills?: boolean;
  /** True if it is injected only into scenarios that take at least four minutes. */
  needsLongScenario?: boolean;
  /** Injects the fault. Resolves when it is over, with how often it happened; 0 if it does not count. */
  inject(context: FaultContext): Promise<number>;
}
