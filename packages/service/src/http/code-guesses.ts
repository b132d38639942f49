import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import { isCodeKnown, isCodeKnownToClient } from '../domain/claim-links/find-code.ts';
import { hashClaimCode, isShortCode } from '../domain/claim-links/rules.ts';
import { Refusal } from '../domain/refusal.ts';
import { type RequestCounter, toCountName } from '../rate-limits/request-counter.ts';
import { nameAddress } from './caller-names.ts';

/** How long wrong codes count. */
export const GUESS_WINDOW_SECONDS = 60;
const MAX_WRONG_CODES = 20;
const MAX_RIGHT_CODES = 10_000;

interface Guess {
  tokenId: string;
  claimCode: string;
  /** The name of the client's address. */
  client: string;
}

/** Returns the hook that limits the guesses of the short codes of rooms. Long codes cannot be guessed. */
export function limitCodeGuesses(
  context: Context,
  counter: RequestCounter,
): (request: FastifyRequest) => Promise<void> | undefined {
  const check = createGuessLimit(counter, {
    isKnown: (guess) => isCodeKnown(context, guess),
    isKnownToClient: (guess) => isCodeKnownToClient(context, guess),
  });
  return (request) => {
    if (request.routeOptions.config.hasClaimCode !== true) return undefined;
    const { claimCode } = request.body as { claimCode?: string | null };
    if (!claimCode || !isShortCode(claimCode)) return undefined;
    const { tokenId } = request.params as { tokenId: string };
    return check({ tokenId, claimCode, client: nameAddress(request) });
  };
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/**
 * Returns a function that throws after too many wrong codes from a client in a window, except for a right code that this
 * client has used before. So people behind one address cannot lock each other out of a room that they have entered.
 */
export function createGuessLimit(
  counter: RequestCounter,
  codes: { isKnown(guess: Guess): Promise<boolean>; isKnownToClient(guess: Guess): Promise<boolean> },
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
    const { isExceeded, resetSeconds } = counter.peek(name, MAX_WRONG_CODES);
    if (isExceeded) {
      if (await codes.isKnownToClient(guess)) return;
      throw new Refusal(
        'RateLimited',
        'Too many wrong codes came from this client address. Retry after the number of seconds in Retry-After.',
        { retryAfterSeconds: resetSeconds },
      );
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

function nameRightCode({ tokenId, claimCode, client }: Guess): string {
  return toCountName('right-code', `${client} ${hashClaimCode(Number(tokenId), claimCode).toString('hex')}`);
}
