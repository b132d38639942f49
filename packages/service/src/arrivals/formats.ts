import type { ArrivalFormat, ReadArrivals } from './arrival.ts';
import { readBadge } from './read-badge.ts';
import { readCsv } from './read-csv.ts';
import { readListings } from './read-listings.ts';
import { readOpenBadges } from './read-openbadges.ts';
import { readPoap } from './read-poap.ts';

/** The reader of each format. */
export const READERS: Record<ArrivalFormat, ReadArrivals> = {
  badge: readBadge,
  listings: readListings,
  poap: readPoap,
  openbadges: readOpenBadges,
  csv: readCsv,
};
