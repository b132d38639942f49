import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import { isCodeKnown, isCodeKnownToClient } from '../domain/claim-links/find-code.ts';
import { hashClaimCode, isShortCode } from '../domain/claim-links/rules.ts';
import { Refusal } from '../domain/refusal.ts';
import { createPace, type Pace } from '../rate-limits/create-pace.ts';
import { type RequestCounter, toCountName } from '../rate-limits/request-counter.ts';
import { optionalCallerOf } from './auth.ts';
import { nameAddress } from './caller-names.ts';
import { clientSignal } from './client-signal.ts';
import { releaseBeforeResponse } from './shares/resources.ts';

/** How long wrong codes count. */
export const CODE_WINDOW_SECONDS = 60;
const MAX_WRONG_CODES = 20;
// After too many wrong codes, a client gets one more check every two seconds. So people behind the same
// address who have the right code need not wait long.
const LATE_CHECKS = { burst: 1, perSecond: 0.5 };
// How often a client may use the code of a room without a signature. One phone can invent addresses, and many
// people can share the address of a room.
const USES = { burst: 20, perSecond: 1 };
const MAX_RIGHT_CODES = 10_000;

interface Guess {
  tokenId: string;
  claimCode: string;
  /** The name of the client's address. */
  client: string;
}

type Run = (work: () => Promise<void>) => Promise<void>;

/**
 * Returns the hook that limits, for each client, how often it guesses short codes of rooms, and how fast it
 * uses a right one without a signature and without a key. Long codes cannot be guessed, and one person uses
 * each.
 */
export function limitRoomCodes(
  context: Context,
  counter: RequestCounter,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined {
  const check = createGuessLimit(counter, {
    isKnown: (guess) => isCodeKnown(context, guess),
    isKnownToClient: (guess) => isCodeKnownToClient(context, guess),
  });
  const uses = createPace(USES);
  return (request, reply) => {
    const { claimCode: what } = request.routeOptions.config;
    if (what === undefined) return undefined;
    const { claimCode, signature } = request.body as { claimCode?: string | null; signature?: string | null };
    if (!claimCode || !isShortCode(claimCode)) return undefined;
    const { tokenId } = request.params as { tokenId: string };
    const guess = { tokenId, claimCode, client: nameAddress(request) };
    // An e-mail address was proven for its session, so nobody can invent them.
    const isUnsignedClaim = what === 'claim' && !signature && optionalCallerOf(request) === null;
    const isUse = what === 'reserve' || isUnsignedClaim;
    const { readConnections } = request.server.resources;
    const checked = check(guess, (work) => readConnections.run(guess.client, clientSignal(reply), work));
    return isUse ? checked.then(() => countUse(uses, guess, reply)) : checked;
  };
}

// Throws if the client has used the code too fast. A use that the service fails does not count, so that a
// phone can retry it.
function countUse(uses: Pace, guess: Guess, reply: FastifyReply): void {
  const name = `${guess.client} ${nameCode(guess)}`;
  const retryAfterSeconds = uses.take(name);
  if (retryAfterSeconds === 0) {
    releaseBeforeResponse(reply.request, () => {
      if (reply.statusCode >= 500) uses.giveBack(name);
    });
    return;
  }
  throw new Refusal(
    'RateLimited',
    'The code of this room is used too fast from this client address. Retry after the number of seconds in Retry-After.',
    { retryAfterSeconds },
  );
}

/**
 * Returns a function that throws after too many wrong codes from a client, except for a right code that this
 * client has used before. So people behind one address cannot lock each other out of a room that they have
 * entered. Others get a check every two seconds, and a right code does not count. `run` bounds the look-ups
 * of a client at the same time: a wrong code counts when it was looked up.
 */
export function createGuessLimit(
  counter: RequestCounter,
  codes: { isKnown(guess: Guess): Promise<boolean>; isKnownToClient(guess: Guess): Promise<boolean> },
  lateChecks = createPace(LATE_CHECKS),
): (guess: Guess, run: Run) => Promise<void> {
  const rightCodes = new LRUCache<string, true>({ max: MAX_RIGHT_CODES });

  async function decide(guess: Guess, name: string): Promise<void> {
    if (rightCodes.has(nameRightCode(guess))) return;
    const { isExceeded } = counter.peek(name, MAX_WRONG_CODES);
    if (isExceeded) {
      if (await codes.isKnownToClient(guess)) return;
      const retryAfterSeconds = lateChecks.take(name);
      if (retryAfterSeconds > 0) throw tooManyWrong(retryAfterSeconds);
    }
    if (await codes.isKnown(guess)) rightCodes.set(nameRightCode(guess), true);
    else counter.count(name, MAX_WRONG_CODES);
  }

  return async (guess, run) => {
    if (rightCodes.has(nameRightCode(guess))) return;
    const name = toCountName('wrong-code', guess.client);
    await run(() => decide(guess, name));
  };
}

function tooManyWrong(retryAfterSeconds: number): Refusal {
  return new Refusal(
    'RateLimited',
    'Too many wrong codes came from this client address. Retry after the number of seconds in Retry-After.',
    { retryAfterSeconds },
  );
}

function nameRightCode(guess: Guess): string {
  return toCountName('right-code', `${guess.client} ${nameCode(guess)}`);
}

function nameCode({ tokenId, claimCode }: Guess): string {
  return hashClaimCode(Number(tokenId), claimCode).toString('hex');
}
