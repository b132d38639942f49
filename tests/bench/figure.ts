import type { BareServer } from './bare-server.ts';
import type { Driver } from './driver/driver.ts';
import type { BenchedService } from './service.ts';
import { median } from './statistics.ts';

/** How long and how often everything is measured. */
export interface Extent {
  rounds: number;
  /** The time of each measurement. */
  windowMs: number;
  /** The time of the load for `memory`. The memory is measured after `first` and after `total`. */
  memoryMs: { first: number; total: number };
  overloadMs: number;
  /** How many people are invited by e-mail. */
  invitations: number;
  /** How many badges end at the same time. */
  expiringOwners: number;
  /** From the end of the overload until the load that measures the recovery. */
  recoveryMs: number;
}

/** What the figures measure with. */
export interface Bench {
  extent: Extent;
  service: BenchedService;
  driver: Driver;
  bare: BareServer;
  /** A directory for the data of services. */
  directory: string;
}

/** A limit of the ratio, or of the figure itself if there is no reference. */
export interface Goal {
  /** True for an upper limit, false for a lower one. */
  isMaximum: boolean;
  goal: number;
  /** A stricter goal, which a row need not reach. */
  stretch: number | null;
}

/** One row of the table. */
export interface Row {
  name: string;
  unit: string;
  figure: number;
  reference: number | null;
  ratio: number | null;
  goal: Goal | null;
  /** Further numbers for the JSON file. */
  details: object;
}

type Comparison = Pick<Row, 'figure' | 'reference' | 'ratio' | 'details'>;

/** Measures one or more rows. */
export interface Figure {
  /** What `--only` selects. */
  name: string;
  measure(bench: Bench): Promise<Row[]>;
}

export function atLeast(goal: number, stretch: number | null = null): Goal {
  return { isMaximum: false, goal, stretch };
}

export function atMost(goal: number, stretch: number | null = null): Goal {
  return { isMaximum: true, goal, stretch };
}

/** Measures a figure and its reference alternately, and compares them. */
export async function compare(
  rounds: number,
  measureFigure: () => Promise<number>,
  measureReference: () => Promise<number>,
): Promise<Comparison> {
  return summarize(await alternate(rounds, measureFigure, measureReference));
}

/**
 * Measures a figure and its reference alternately. In every second round, the reference is measured first.
 */
export async function alternate<Measured>(
  rounds: number,
  measureFigure: () => Promise<Measured>,
  measureReference: () => Promise<Measured>,
): Promise<{ figure: Measured; reference: Measured }[]> {
  const measured: { figure: Measured; reference: Measured }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const isReferenceFirst = round % 2 === 1;
    if (isReferenceFirst) {
      const reference = await measureReference();
      measured.push({ figure: await measureFigure(), reference });
    } else {
      const figure = await measureFigure();
      measured.push({ figure, reference: await measureReference() });
    }
  }
  return measured;
}

/**
 * Returns medians. The ratio is the median of the rounds' ratios, because the speed of a machine can change.
 */
export function summarize(measured: { figure: number; reference: number }[]): Comparison {
  const ratios = measured.map(({ figure, reference }) => figure / reference);
  return {
    figure: median(measured.map(({ figure }) => figure)),
    reference: median(measured.map(({ reference }) => reference)),
    ratio: median(ratios),
    details: { measured, ratios },
  };
}
