import { createHash } from 'node:crypto';
import type { MailLimit } from '../../storage/mails.ts';

/** The most requests for reservations of a client in an hour. The people in a room can share one client address. */
export const MAX_REQUESTS_PER_CLIENT = 200;

/** Which part of the mails of a community may be those that people outside of it ask for. The rest is left for invitations. */
export const RESERVATIONS_SHARE = 3 / 5;
/** Which part those may be that are asked for with the code of one link. The rest is left for other links. */
export const LINK_SHARE = 2 / 5;

/** A part of the mails that a community may send. */
export function shareOf({ perHour, perDay }: MailLimit, part: number): MailLimit {
  return { perHour: Math.ceil(perHour * part), perDay: Math.ceil(perDay * part) };
}

/** The hash by which a reservation is found. A code has 130 random bits. */
export function hashConfirmationCode(code: string): Buffer {
  return createHash('sha256').update(`confirmation ${code.trim().toUpperCase()}`).digest();
}
