import { LIMITS, type Operation } from '@badge/protocol';
import type { DatabaseTransaction } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { announceExpired } from '../../storage/expiry.ts';
import {
  insertMoves,
  type KeptToken,
  listKeptTokens,
  lockHolders,
  type MoveBadgesRequest,
  moveHiddenTokens,
  setWarnings,
  useMoveNonce,
} from '../../storage/move-badges.ts';
import { lockMoves, type Move, moveClaim } from '../../storage/ownership.ts';
import { finishOperations, type Outcome, readRequests } from '../../storage/queue.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';
import { readMoveRefusal } from '../claims/read-move-refusal.ts';

/** How many badges a transaction moves, unless its first operation has more. */
const BATCH_BADGES = 200;

type Request = MoveBadgesRequest & { operationId: string };
type StoredRequest = Omit<MoveBadgesRequest, 'toAddress'> & { toAddress: string };
type Badge = KeptToken & { operationId: string; toAddress: MoveBadgesRequest['toAddress'] };

/**
 * Settles moves of kept badges, in the order of acceptance. All locks are taken before the first move: those
 * of the people, then those of tokens and claims, as whoever settles other operations takes them. Returns how
 * many it has settled: it leaves operations for a later batch if there are many badges, or if a token is just
 * being replaced.
 */
export async function settleMoveBadges(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const stored = await readRequests<StoredRequest>(tx, operationIds);
  const all = stored.map((one): Request => ({ ...one, toAddress: parseAddress(`0x${one.toAddress}`) }));
  const nonces = await lockHolders(
    tx,
    all.map(({ emailHash }) => emailHash),
  );
  const { requests, badges } = await takeBatch(tx, all);
  const locked = await lockTokensOfRequests(tx, badges);
  await lockMoves(tx, locked);
  // Who waits for a replacement waits with all operations, so that they keep their order.
  const waiting = new Set<string>();
  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const { operationId, emailHash, nonce } = request;
    const ofRequest = (one: Badge) => one.operationId === operationId;
    const own = locked.filter(ofRequest);
    if (own.length < badges.filter(ofRequest).length) waiting.add(emailHash);
    if (waiting.has(emailHash)) continue;
    if (nonces.get(emailHash) === nonce) {
      nonces.set(emailHash, nonce + 1);
      await moveBadges(tx, request, own);
      outcomes.push({ operationId, resourceId: null });
    } else {
      outcomes.push({
        operationId,
        error: { name: 'NotSignedByReceiver', detail: 'The nonce of the signature was used meanwhile.' },
      });
    }
  }
  return await finishOperations(tx, outcomes);
}

async function takeBatch(
  tx: DatabaseTransaction,
  all: Request[],
): Promise<{ requests: Request[]; badges: Badge[] }> {
  const requests: Request[] = [];
  const badges: Badge[] = [];
  for (const request of all) {
    // One more than may be moved says whether there are more.
    const kept = await listKeptTokens(tx, request, LIMITS.movedBadges + 1);
    if (requests.length > 0 && badges.length + kept.length > BATCH_BADGES) break;
    const { operationId, toAddress } = request;
    requests.push(request);
    badges.push(...kept.map((one) => ({ ...one, operationId, toAddress })));
  }
  return { requests, badges };
}

/**
 * Moves badges whose tokens and claims are locked. Each move is an operation of its own in the community of
 * its token, so that no community learns of the badges of others.
 */
async function moveBadges(tx: DatabaseTransaction, request: Request, badges: Badge[]): Promise<void> {
  const warnings: Operation['warnings'] = [];
  const moves: Omit<Move, 'operationId'>[] = [];
  for (const { tokenId, address, toAddress } of badges.slice(0, LIMITS.movedBadges)) {
    const move = { tokenId, address, toAddress };
    const { refusal } = await readMoveRefusal(tx, { ...move, isGift: false });
    if (refusal === null) moves.push(move);
    if (refusal === 'ClaimingAddressAlreadyHasToken') {
      warnings.push({
        pointer: '/toAddress',
        detail: 'The wallet has the token, or has had it, so it stays where it is.',
        tokenId,
      });
    }
  }
  if (badges.length > LIMITS.movedBadges) {
    warnings.push({
      pointer: '/toAddress',
      detail: `There are more than ${LIMITS.movedBadges} badges. Move the others with another request.`,
    });
  }
  const accepted = await insertMoves(tx, moves);
  for (const move of accepted) {
    await announceExpired(tx, move.tokenId, [move.address]);
    await moveClaim(tx, move);
  }
  await moveHiddenTokens(tx, accepted);
  await useMoveNonce(tx, request);
  if (warnings.length > 0) await setWarnings(tx, request.operationId, warnings);
  await finishOperations(
    tx,
    accepted.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId })),
  );
}
