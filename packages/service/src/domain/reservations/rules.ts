import { createHash } from 'node:crypto';
import type { RequestError } from '@badge/protocol';
import { findEmailErrors } from '../invitations/rules.ts';

/** The most mails to an address in a day that others have asked for. */
export const MAX_MAILS_PER_ADDRESS = 3;
/** The most requests for reservations of a client in an hour. The people in a room can share one client address. */
export const MAX_REQUESTS_PER_CLIENT = 200;

/** The errors of a body that its schema cannot express. */
export function findReservationErrors(body: unknown): RequestError[] {
  const { email } = (body ?? {}) as Record<string, unknown>;
  return typeof email === 'string' ? findEmailErrors('/email', email) : [];
}

/** The hash by which a reservation is found. A code has 130 random bits. */
export function hashConfirmationCode(code: string): Buffer {
  return createHash('sha256').update(`confirmation ${code.trim().toUpperCase()}`).digest();
}
