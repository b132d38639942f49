import type { ArrivalFormat, ReadArrivals } from './arrival.ts';
import { readCsv } from './read-csv.ts';

/** The reader of each format. */
export const READERS: Partial<Record<ArrivalFormat, ReadArrivals>> = {
  csv: readCsv,
};
