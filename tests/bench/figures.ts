import type { Figure } from './figure.ts';
import { credentials } from './figures/credentials.ts';
import { deadEndpoint } from './figures/dead-endpoint.ts';
import { expiries } from './figures/expiries.ts';
import { gate } from './figures/gate.ts';
import { listWhileWriting } from './figures/list-while-writing.ts';
import { mails } from './figures/mails.ts';
import { memory } from './figures/memory.ts';
import { overload } from './figures/overload.ts';
import { processes } from './figures/processes.ts';
import { reads } from './figures/reads.ts';
import { settleTime } from './figures/settle-time.ts';
import { signatureCheck } from './figures/signature-check.ts';
import { claims, creations } from './figures/writes.ts';

/**
 * All figures of a normal run, in the order of the table. The reads come before the writes, because writes
 * add tokens.
 */
export const FIGURES: Figure[] = [
  signatureCheck,
  ...reads,
  credentials,
  listWhileWriting,
  creations,
  claims,
  settleTime,
  memory,
  mails,
  expiries,
  overload,
  processes,
  deadEndpoint,
  // It multiplies the claims, so it is the last.
  gate,
];
