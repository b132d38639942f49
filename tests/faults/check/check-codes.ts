import type { StoredClaim, StoredLink } from './database-state.ts';
import { type Evidence, refusedWith } from './evidence.ts';
import { type CreatedLink, contributorKey, type History, operationIdOf, receiverOf } from './history.ts';
import type { InvariantTally } from './tally.ts';

/**
 * A request may be refused this long after its journal entry, because the client retries and operations wait
 * in a queue. Its token or code may expire in this time.
 */
export const MAX_REFUSAL_DELAY_MS = 60_000;

/** Part of I1: a created claim link exists, and a revoked one stays revoked. */
export function checkLinksExist({ history, database }: Evidence, { expect }: InvariantTally): void {
  for (const link of history.links.values()) {
    const { claimLinkId, tokenId } = link;
    const stored = database.links.get(claimLinkId);
    expect(stored?.tokenId === tokenId, () => `the claim link ${claimLinkId} of token ${tokenId} is missing`);
    const isStillRevoked = !isRevoked(link) || stored?.isRevoked === true;
    expect(isStillRevoked, () => `the claim link ${claimLinkId} is no longer revoked`);
  }
}

/**
 * Part of I4: a claim with a code succeeds only if the code is valid. It is refused with `ClaimCodeInvalid`
 * only if it is not.
 */
export function checkCodesValid(evidence: Evidence, { expect }: InvariantTally): void {
  const { history, database } = evidence;
  const claimedAtMs = new Map(database.claims.map((claim) => [claim.operationId, claim.claimedAtMs]));
  for (const [operationId, link] of findClaimsByCode(evidence)) {
    const createdAtMs = database.operations.get(operationId)?.createdAtMs ?? 0;
    // A revoked room keeps the claims that were made before its revocation.
    const revokedAtMs = database.links.get(link?.claimLinkId ?? '')?.revokedAtMs ?? Infinity;
    const isInTime = link?.maxClaims != null && (claimedAtMs.get(operationId) ?? 0) <= revokedAtMs;
    const isValid =
      link !== null && (!isRevoked(link) || isInTime) && createdAtMs < (link.expiresAtTimestamp ?? Infinity);
    expect(isValid, () => `the claim ${operationId} succeeded without a valid code`);
  }
  for (const [location, { tokenId, body, isCodeRevoked }] of history.accepted) {
    if (body.claimCode === undefined) continue;
    const mayBeAccepted = findLink(history, tokenId, body.claimCode) !== undefined && !isCodeRevoked;
    expect(mayBeAccepted, () => `${location} was accepted with a code that does not exist or was revoked`);
  }
  for (const { tokenId, body } of refusedWith('ClaimCodePaused', evidence)) {
    const link = findLink(history, tokenId, body.claimCode);
    expect(link?.isPauseSent === true, () => `the code of ${link?.claimLinkId} was refused as paused`);
  }
  for (const { tokenId, body, journaledAtMs } of refusedWith('ClaimCodeInvalid', evidence)) {
    const link = findLink(history, tokenId, body.claimCode);
    const isInvalid =
      link === undefined ||
      link.isRevocationSent ||
      (link.expiresAtTimestamp ?? Infinity) < journaledAtMs + MAX_REFUSAL_DELAY_MS;
    expect(isInvalid, () => `the code of ${link?.claimLinkId} is valid but was refused`);
  }
}

/**
 * Part of I3: the stored count of a room link is that of the claims with its code. If a response was lost, it
 * is unknown whether a claim was made with the code or with the address's own entry. So there may be more
 * claims than are known.
 */
export function checkRoomCounts(evidence: Evidence, { expect }: InvariantTally): void {
  const known = Map.groupBy(findClaimsByCode(evidence).values(), (link) => link?.claimLinkId);
  const possible = Map.groupBy(
    evidence.database.claims.flatMap(findRoomsOf(evidence)),
    ({ claimLinkId }) => claimLinkId,
  );
  for (const { claimLinkId, maxClaims } of evidence.history.links.values()) {
    const count = evidence.database.links.get(claimLinkId)?.claimCount;
    if (maxClaims === null || count === undefined) continue;
    const atLeast = known.get(claimLinkId)?.length ?? 0;
    const atMost = Math.max(atLeast, possible.get(claimLinkId)?.length ?? 0);
    const isPossible = atLeast <= count && count <= atMost;
    expect(
      isPossible,
      () => `the room link ${claimLinkId} counts ${count} claims of ${atLeast} to ${atMost}`,
    );
  }
}

/**
 * Returns a function that finds the room links with whose codes a claim may have been made: those whose codes
 * were sent for the address of the claim.
 */
export function findRoomsOf({ history, database }: Evidence): (claim: StoredClaim) => CreatedLink[] {
  const sent = new Map<string, Set<CreatedLink>>();
  for (const { tokenId, body } of history.requests) {
    const link = findLink(history, tokenId, body.claimCode);
    if (link === undefined || link.maxClaims === null) continue;
    const claimer = `${tokenId} ${contributorKey(receiverOf(body))}`;
    sent.set(claimer, (sent.get(claimer) ?? new Set()).add(link));
  }
  return ({ tokenId, address, contributorKey: key, operationId }) =>
    key === address && database.operations.get(operationId)?.type === 'claim'
      ? [...(sent.get(`${tokenId} ${address}`) ?? [])]
      : [];
}

/**
 * Part of I5: a claim with a code uses the entry of its link, which no other claim can use. With the code of
 * a room, it uses the entry of its address, and there are at most as many claims as the link allows. A failed
 * claim uses nothing.
 */
export function checkCodesUsedOnce(evidence: Evidence, { expect }: InvariantTally): void {
  const { history, database } = evidence;
  const claims = new Map(database.claims.map((claim) => [claim.operationId, claim]));
  for (const [location, { tokenId, body }] of history.accepted) {
    const claim = claims.get(operationIdOf(location));
    if (body.claimCode === undefined || claim === undefined) continue;
    const link = findLink(history, tokenId, body.claimCode);
    const stored = database.links.get(link?.claimLinkId ?? '');
    const entry = stored?.maxClaims == null ? stored?.contributorKey : claim.address;
    expect(claim.contributorKey === entry, () => `${location} succeeded without using its code`);
  }
  const usedEntries = new Set(database.claims.map(toEntry));
  for (const { tokenId, body } of refusedWith('ClaimCodeUsed', evidence)) {
    const link = findLink(history, tokenId, body.claimCode);
    const stored = database.links.get(link?.claimLinkId ?? '');
    const isUsed =
      stored !== undefined &&
      (stored.maxClaims === null ? usedEntries.has(toEntry(stored)) : stored.claimCount >= stored.maxClaims);
    expect(isUsed, () => `the code of ${link?.claimLinkId} was refused as used, but nobody used it`);
  }
  for (const { id, maxClaims, claimCount } of database.links.values()) {
    if (maxClaims === null) continue;
    expect(claimCount <= maxClaims, () => `the code of ${id} was used ${claimCount} times, not ${maxClaims}`);
  }
  const byLink = Map.groupBy(findClaimsByCode(evidence).values(), (link) => link);
  for (const [link, { length }] of byLink) {
    const max = link?.maxClaims ?? null;
    expect(
      max === null || length <= max,
      () => `${length} claims succeeded with ${link?.claimLinkId} for ${max}`,
    );
  }
}

/**
 * Part of I7: the API shows a revoked claim link as revoked. It shows another link as used if and only if its
 * entry was claimed, and then also who claimed it. It shows the count of a room link, and shows it as used if
 * no claim is left.
 */
export function checkListedLinks({ history, database, api }: Evidence, { expect }: InvariantTally): void {
  const claims = new Map(database.claims.map((claim) => [toEntry(claim), claim]));
  for (const { claimLinkId, revocationStatuses } of history.links.values()) {
    const stored = database.links.get(claimLinkId);
    if (stored === undefined) continue;
    if (stored.maxClaims !== null) {
      const isRight = isRoomShown(stored, api.claimLinks.get(claimLinkId));
      expect(isRight, () => `the API shows the room link ${claimLinkId} wrongly`);
      continue;
    }
    const address = claims.get(toEntry(stored))?.address ?? null;
    const shown = api.claimLinks.get(claimLinkId);
    const statuses = expectedStatuses(stored.isRevoked, address);
    const expectedAddress = stored.isRevoked ? null : address;
    const isSame = statuses.includes(shown?.status ?? '') && shown?.claimingAddress === expectedAddress;
    expect(
      isSame,
      () =>
        `the API shows the claim link ${claimLinkId} as ${shown?.status} by ${shown?.claimingAddress}, not ${statuses.join(' or ')} by ${expectedAddress}`,
    );
    // A revocation is refused with 409 only if the code has been used.
    const isRefusalRight = !revocationStatuses.includes(409) || address !== null;
    expect(isRefusalRight, () => `the revocation of ${claimLinkId} was refused, but nobody used its code`);
  }
}

function isRoomShown(
  { isRevoked, claimCount, maxClaims }: StoredLink,
  shown: { status: string; claimingAddress: string | null; claimCount: number } | undefined,
): boolean {
  const isUsed = claimCount === maxClaims;
  const statuses = isRevoked ? ['revoked'] : isUsed ? ['used'] : ['unused', 'expired', 'paused'];
  return (
    statuses.includes(shown?.status ?? '') &&
    shown?.claimCount === claimCount &&
    shown.claimingAddress === null
  );
}

/**
 * The statuses with which the API may show a link. `address` has claimed the link's entry; null if nobody
 * has.
 */
function expectedStatuses(isRevoked: boolean, address: string | null): string[] {
  if (isRevoked) return ['revoked'];
  return address === null ? ['unused', 'expired'] : ['used'];
}

/**
 * Finds the stored claims that were made with a code. Returns the link of each, by the id of the claim's
 * operation.
 *
 * - If the client knows the operation, the link is that of the code in its request; null if the code does not
 *   exist.
 * - Otherwise the response was lost. Such a claim is found if it uses an entry that was added for a link. The
 *   link is null if no request sent the code of this link for the address of the claim.
 */
export function findClaimsByCode({ history, database }: Evidence): Map<string, CreatedLink | null> {
  const linksByOperation = new Map<string, CreatedLink | null>();
  for (const [location, { tokenId, body }] of history.accepted) {
    if (body.claimCode === undefined) continue;
    linksByOperation.set(operationIdOf(location), findLink(history, tokenId, body.claimCode) ?? null);
  }
  // The links whose codes were sent, by the link and the claiming address.
  const presented = new Map<string, CreatedLink>();
  for (const { tokenId, body } of history.requests) {
    const link = findLink(history, tokenId, body.claimCode);
    if (link !== undefined) presented.set(`${link.claimLinkId} ${contributorKey(receiverOf(body))}`, link);
  }
  const ownEntries = new Map(
    [...database.links.values()].filter((link) => link.hasOwnEntry).map((link) => [toEntry(link), link.id]),
  );
  const claimsByCode = new Map<string, CreatedLink | null>();
  for (const claim of database.claims) {
    const { operationId, address } = claim;
    const link = linksByOperation.get(operationId);
    const linkId = ownEntries.get(toEntry(claim));
    if (link !== undefined) claimsByCode.set(operationId, link);
    else if (linkId !== undefined)
      claimsByCode.set(operationId, presented.get(`${linkId} ${address}`) ?? null);
  }
  return claimsByCode;
}

function isRevoked({ revocationStatuses }: CreatedLink): boolean {
  return revocationStatuses.includes(204);
}

function findLink({ links }: History, tokenId: number | null, claimCode = ''): CreatedLink | undefined {
  const link = links.get(claimCode);
  return link?.tokenId === tokenId ? link : undefined;
}

function toEntry({ tokenId, contributorKey }: { tokenId: number; contributorKey: string | null }): string {
  return `${tokenId}/${contributorKey}`;
}
