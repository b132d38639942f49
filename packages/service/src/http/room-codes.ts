import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import { isCodeKnown, isCodeKnownToClient } from '../domain/claim-links/find-code.ts';
import { hashClaimCode, isShortCode } from '../domain/claim-links/rules.ts';
import { Refusal } from '../domain/refusal.ts';
import { createPace, type Pace } from '../rate-limits/create-pace.ts';
import { type RequestCounter, toCountName } from '../rate-limits/request-counter.ts';
import { optionalCallerOf } from './auth.ts';
import { nameAddress } from './caller-names.ts';

/** How long wrong codes count. */
export const CODE_WINDOW_SECONDS = 60;
const MAX_WRONG_CODES = 20;
// After too many wrong codes, a client gets one more check every two seconds, so that people behind the same address with the
// right code need not wait long.
const LATE_CHECKS = { burst: 1, perSecond: 0.5 };
// How often a client may use the code of a room without a signature. One phone can invent addresses, and many people can share
// the address of a room.
const USES = { burst: 20, perSecond: 1 };
const MAX_RIGHT_CODES = 10_000;

interface Guess {
  tokenId: string;
  claimCode: string;
  /** The name of the client's address. */
  client: string;
}

/**
 * Returns the hook that limits, for each client, the guesses of the short codes of rooms, and how fast it uses a right one
 * without a signature and without a key. Long codes can neither be guessed nor be used by many.
 */
export function limitRoomCodes(
  context: Context,
  counter: RequestCounter,
): (request: FastifyRequest) => Promise<void> | undefined {
  const check = createGuessLimit(counter, {
    isKnown: (guess) => isCodeKnown(context, guess),
    isKnownToClient: (guess) => isCodeKnownToClient(context, guess),
  });
  const uses = createPace(USES);
  return (request) => {
    const { claimCode: what } = request.routeOptions.config;
    if (what === undefined) return undefined;
    const { claimCode, signature } = request.body as { claimCode?: string | null; signature?: string | null };
    if (!claimCode || !isShortCode(claimCode)) return undefined;
    const { tokenId } = request.params as { tokenId: string };
    const guess = { tokenId, claimCode, client: nameAddress(request) };
    const isUnsignedClaim = what === 'claim' && !signature && optionalCallerOf(request) === null;
    const isUse = what === 'reserve' || isUnsignedClaim;
    return isUse ? check(guess).then(() => countUse(uses, guess)) : check(guess);
  };
}

// Throws if the client has used the code too fast.
function countUse(uses: Pace, guess: Guess): void {
  const retryAfterSeconds = uses.take(`${guess.client} ${nameCode(guess)}`);
  if (retryAfterSeconds === 0) return;
  throw new Refusal(
    'RateLimited',
    'The code of this room is used too fast from this client address. Retry after the number of seconds in Retry-After.',
    { retryAfterSeconds },
  );
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/**
 * Returns a function that throws after too many wrong codes from a client, except for a right code that this client has used
 * before. So people behind one address cannot lock each other out of a room that they have entered. Others get a check every
 * two seconds, and a right code does not count.
 */
export function createGuessLimit(
  counter: RequestCounter,
  codes: { isKnown(guess: Guess): Promise<boolean>; isKnownToClient(guess: Guess): Promise<boolean> },
  lateChecks = createPace(LATE_CHECKS),
): (guess: Guess) => Promise<void> {
  const rightCodes = new LRUCache<string, true>({ max: MAX_RIGHT_CODES });
  const lanes = new Map<string, Lane>();

  // A client has at most as many look-ups at the same time as it may send wrong codes, so a burst cannot exceed the maximum.
  async function enter(name: string): Promise<Lane> {
    const lane = lanes.get(name) ?? { running: 0, waiting: [] };
    lanes.set(name, lane);
    for (;;) {
      const { isExceeded, remaining } = counter.peek(name, MAX_WRONG_CODES);
      if (isExceeded || lane.running < remaining) break;
      await new Promise<void>((resolve) => lane.waiting.push(resolve));
    }
    lane.running += 1;
    return lane;
  }

  function leave(name: string, lane: Lane): void {
    lane.running -= 1;
    const wake = lane.waiting.shift();
    if (wake !== undefined) wake();
    else if (lane.running === 0) lanes.delete(name);
  }

  async function decide(guess: Guess, name: string): Promise<void> {
    const { isExceeded } = counter.peek(name, MAX_WRONG_CODES);
    if (isExceeded) {
      if (await codes.isKnownToClient(guess)) return;
      const retryAfterSeconds = lateChecks.take(name);
      if (retryAfterSeconds > 0) throw tooManyWrong(retryAfterSeconds);
    }
    if (await codes.isKnown(guess)) rightCodes.set(nameRightCode(guess), true);
    else counter.count(name, MAX_WRONG_CODES);
  }

  return async (guess) => {
    if (rightCodes.has(nameRightCode(guess))) return;
    const name = toCountName('wrong-code', guess.client);
    const lane = await enter(name);
    try {
      await decide(guess, name);
    } finally {
      leave(name, lane);
    }
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
