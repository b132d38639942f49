import type { Recipient } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { hasBadge } from './person-actions.ts';

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

/** A badge that ends within so many days ends soon. */
const SOON_DAYS = 30;

/** What is asked of the list of people. */
export function toStatusFilter(status: Recipient['status'] | 'endsSoon' | 'waiting') {
  if (status === 'endsSoon') return { endsWithinDays: SOON_DAYS };
  return { status: status === 'waiting' ? WAITING_FILTER : status };
}

/** What a person has, in words. A badge has expired, or the time to claim it is over. */
export function describeStatus(person: Recipient, t: TFunction<'console'>): string {
  const { status } = person;
  if (status === 'expired' && !hasBadge(person)) return t('people.timeIsOver');
  return t(`people.statuses.${status}`);
}
