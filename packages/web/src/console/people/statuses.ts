import type { Recipient } from '@badge/sdk';

/** People with one of these can still claim. */
const WAITING = [
  'listed',
  'linked',
  'scheduled',
  'queued',
  'invited',
  'failed',
  'unsubscribed',
  'reserved',
] as const satisfies readonly Recipient['status'][];

/** The same, as a filter of the list of people. */
export const WAITING_FILTER = WAITING.join(',') as `${(typeof WAITING)[0]},${string}`;
