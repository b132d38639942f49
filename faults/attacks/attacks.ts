import type { Attack } from './attack.ts';
import { LARGE_PAGES } from './large-pages.ts';
import { LOG_ON_FULL_DISK, LOG_TO_STALLED_PIPE } from './logged-requests.ts';
import { SILENT_CONNECTIONS } from './silent-connections.ts';
import { SLOW_LISTINGS } from './slow-listings.ts';
import { UNDRAWN_PICTURES } from './undrawn-pictures.ts';
import { UPLOADS } from './uploads.ts';

/** Every attack. nemesis/attacks.ts makes a fault of each. */
export const ATTACKS: readonly Attack[] = [
  LARGE_PAGES,
  LOG_ON_FULL_DISK,
  LOG_TO_STALLED_PIPE,
  UNDRAWN_PICTURES,
  UPLOADS,
  SLOW_LISTINGS,
  SILENT_CONNECTIONS,
];
