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
  /** Waits for a random time between the two, for less in a short run, and only until the run ends. */
  holdFor(minMs: number, maxMs: number): Promise<void>;
}

/** One kind of failure that is injected into a system. */
export interface Fault {
  name: string;
  /** What it does. */
  effect: string;
  /** When it counts as having happened. */
  countsIf: string;
  /** How often it is chosen, relative to the others. */
  weight: number;
  /** Whether it can be injected into this system. Default: always. */
  isPossible?(system: System): boolean;
  /** A kill is not chosen by weight: kills come between the other faults, and during most of them. */
  isKill?: boolean;
  /** No kills during this fault, because they would hide what it tests. */
  excludesKills?: boolean;
  /** Lasts too long for a short run. */
  needsLongRun?: boolean;
  /** Injects the fault and undoes it. Returns how often it happened; 0 if there was nothing to harm. */
  inject(context: FaultContext): Promise<number>;
}
