import { createHash } from 'node:crypto';
import type { MailLimit } from '../../storage/mails.ts';
import { shareOf } from '../mail-share.ts';

// The most requests of a client in an hour. The people in a room can share one client address.
const MAX_REQUESTS_PER_CLIENT = 200;

// Bounds the queue. The mails that are sent have a smaller part of the share.
const REQUESTS_PART = 4 / 5;
const CLIENT_PART = 1 / 2;

/** How many reservations people can request in a community whose share of the mails is `limit`. */
export function limitRequests(limit: MailLimit): MailLimit {
  return shareOf(limit, REQUESTS_PART);
}

/** How many of them one client can request. The rest is left for clients elsewhere. */
export function limitRequestsOfClient(limit: MailLimit | null): MailLimit {
  const most = { perHour: MAX_REQUESTS_PER_CLIENT, perDay: MAX_REQUESTS_PER_CLIENT * 24 };
  if (limit === null) return most;
  const { perHour, perDay } = shareOf(limitRequests(limit), CLIENT_PART);
  return { perHour: Math.min(most.perHour, perHour), perDay: Math.min(most.perDay, perDay) };
}

/** The hash by which a reservation is found. A code has 130 random bits. */
export function hashConfirmationCode(code: string): Buffer {
  return createHash('sha256').update(`confirmation ${code.trim().toUpperCase()}`).digest();
}
