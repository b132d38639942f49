import type { Journal } from '../journal.ts';
import type { Client } from '../load/client.ts';
import type { Random } from '../random.ts';
import type { Recoveries } from '../system/recoveries.ts';
import type { System } from '../system/system.ts';

/** What a fault may use. */
export interface Stage {
  system: System;
  client: Client;
  journal: Journal;
  random: Random;
  recoveries: Recoveries;
  /** Goes on for a random time of this many milliseconds, less in a short run, or until the run's end. */
  last(shortestMs: number, longestMs: number): Promise<void>;
}

/** One way to harm a system. */
export interface Fault {
  name: string;
  /** How often it comes, against the others. */
  weight: number;
  /** Whether it can come to this system; without it, it always can. */
  isPossible?(system: System): boolean;
  /** Its kills, which have a recovery of their own, come with no other fault. */
  isKill?: boolean;
  /** No kill comes at the same time, which would hide what this fault shows. */
  isAlone?: boolean;
  /** Only in runs long enough for it. */
  isLong?: boolean;
  /** Makes it happen and undoes it; answers how often it happened: 0 if there was nothing to harm. */
  strike(stage: Stage): Promise<number>;
}
