import type { Attack } from './attack.ts';
import { ENDLESS_BYTES } from './endless-bytes.ts';
import { LARGE_ALLOWLISTS } from './large-allowlists.ts';
import { LARGE_BODIES } from './large-bodies.ts';
import { LARGE_PAGES } from './large-pages.ts';
import { LEAVING_READERS } from './leaving-readers.ts';
import { LOG_ON_FULL_DISK, LOG_TO_STALLED_PIPE } from './logged-requests.ts';
import { PIPELINED_REQUESTS } from './pipelined-requests.ts';
import { SILENT_CONNECTIONS } from './silent-connections.ts';
import { SLOW_LISTINGS } from './slow-listings.ts';
import { SMALL_PIECES } from './small-pieces.ts';
import { UNDRAWN_PICTURES } from './undrawn-pictures.ts';
import { UPLOADS } from './uploads.ts';

/** Every attack. nemesis/attacks.ts makes a fault of each. */
export const ATTACKS: readonly Attack[] = [
  LARGE_BODIES,
  LARGE_PAGES,
  LEAVING_READERS,
  LOG_ON_FULL_DISK,
  LOG_TO_STALLED_PIPE,
  LARGE_ALLOWLISTS,
  UNDRAWN_PICTURES,
  UPLOADS,
  SLOW_LISTINGS,
  SILENT_CONNECTIONS,
  PIPELINED_REQUESTS,
  SMALL_PIECES,
  ENDLESS_BYTES,
];
