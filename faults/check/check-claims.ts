import type { Evidence } from './evidence.ts';
import type { PastRequest } from './history.ts';
import { contributorKey, operationIdOf, receiverOf } from './history.ts';
import type { Tally } from './tally.ts';

/** I3: claims and remaining counts add up, and nobody was turned away from a token that had places left. */
export function checkCounts({ history, stored }: Evidence, tally: Tally): void {
  const made = new Map<number, number>();
  for (const { tokenId } of stored.claims) made.set(tokenId, (made.get(tokenId) ?? 0) + 1);
  for (const { id, total, remaining } of stored.tokens.values()) {
    if (total === null) continue;
    const claims = made.get(id) ?? 0;
    const isRight = remaining !== null && claims + remaining === total && remaining >= 0;
    tally.check('I3', isRight, () => `token ${id}: ${claims} claims + ${remaining} remaining of ${total}`);
  }
  for (const seen of history.observations) {
    if (seen.type === 'snapshot') {
      tally.add('I3', seen.tokens);
    } else if (seen.type === 'token' && seen.counts !== null && seen.counts.total !== null) {
      const { total, remaining } = seen.counts;
      const isWithin = remaining !== null && remaining >= 0 && remaining <= total;
      tally.check('I3', isWithin, () => `token ${seen.tokenId} was shown with ${remaining} of ${total}`);
    }
  }
  for (const { tokenId } of refusedWith('NoTokensLeft', { history, stored })) {
    const remaining = stored.tokens.get(tokenId ?? 0)?.remaining;
    tally.check('I3', remaining === 0, () => `NoTokensLeft of token ${tokenId}, which has ${remaining}`);
  }
}

/** I4: each claim of an allowlisted token is by somebody whom the client listed. */
export function checkAllowlists({ history, stored }: Evidence, tally: Tally): void {
  const listedAtFirst = new Set<string>();
  const listed = new Set<string>();
  for (const [location, { kind, body, tokenId }] of history.accepted) {
    const id = kind === 'createToken' ? stored.operations.get(operationIdOf(location))?.resourceId : tokenId;
    for (const contributor of body.contributors ?? []) {
      listed.add(`${id}/${contributorKey(contributor)}`);
      if (kind === 'createToken') listedAtFirst.add(`${id}/${contributorKey(contributor)}`);
    }
  }
  for (const { tokenId, address, contributorKey: key, operationId } of stored.claims) {
    if (stored.operations.get(operationId)?.type === 'communityAdminAirdrop') continue;
    if (stored.tokens.get(tokenId)?.total !== null) continue;
    const isListed = key !== null && listed.has(`${tokenId}/${key}`);
    tally.check('I4', isListed, () => `0x${address} has token ${tokenId} without being listed`);
  }
  for (const { tokenId, body } of refusedWith('AddressNotAllowlisted', { history, stored })) {
    const sent = [body.claimingAddress, body.identifier].filter((text) => text !== undefined);
    const isStranger = !sent.some((text) => listedAtFirst.has(`${tokenId}/${contributorKey(text)}`));
    tally.check('I4', isStranger, () => `${sent.join(' ')} is listed for token ${tokenId} and was refused`);
  }
}

/** I5: an address, and an identifier, has a token once; and who was told so has it. */
export function checkOwners({ history, stored, answered }: Evidence, tally: Tally): void {
  const owned = new Set<string>();
  const used = new Set<string>();
  const owners = new Map<number, string[]>();
  for (const { tokenId, address, contributorKey: key, burnOperationId } of stored.claims) {
    const isFirst = !owned.has(`${tokenId}/${address}`) && (key === null || !used.has(`${tokenId}/${key}`));
    tally.check('I5', isFirst, () => `0x${address} or its identifier has token ${tokenId} twice`);
    owned.add(`${tokenId}/${address}`);
    if (key !== null) used.add(`${tokenId}/${key}`);
    if (burnOperationId === null) owners.set(tokenId, [...(owners.get(tokenId) ?? []), address]);
  }
  const byOperation = new Map<string | null, string>();
  for (const { tokenId, address, operationId, burnOperationId } of stored.claims) {
    byOperation.set(operationId, `${tokenId}/${address}`).set(burnOperationId, `${tokenId}/${address}`);
  }
  const granted = new Set<string>();
  for (const [location, { kind, tokenId, body }] of history.accepted) {
    const operationId = operationIdOf(location);
    const receiver = receiverOf(body) || body.burningAddress;
    if (receiver === undefined || stored.operations.get(operationId)?.status !== 'success') continue;
    const claim = `${tokenId}/${contributorKey(receiver)}`;
    const isIts = byOperation.get(operationId) === claim;
    tally.check('I5', isIts, () => `${location} granted or burnt ${claim}, which is not stored as its own`);
    if (kind === 'burn') continue;
    tally.check('I5', !granted.has(claim), () => `two operations granted ${claim}`);
    granted.add(claim);
  }
  for (const { tokenId, body } of refusedWith('ClaimingAddressAlreadyHasToken', { history, stored })) {
    const { identifier } = body;
    const receiver = receiverOf(body);
    const has =
      owned.has(`${tokenId}/${contributorKey(receiver)}`) ||
      (identifier !== undefined && used.has(`${tokenId}/${contributorKey(identifier)}`));
    tally.check('I5', has, () => `${receiver} was told to have token ${tokenId} and has not`);
  }
  for (const [tokenId, told] of answered.owners) {
    const isSame = [...told].sort().join() === (owners.get(tokenId) ?? []).sort().join();
    tally.check('I5', isSame, () => `the owners told of token ${tokenId} are not those stored`);
  }
}

/** I4: nobody gets a token that had expired, nor is refused one that had not; the database's clock decides. */
export function checkExpirations({ history, stored }: Evidence, tally: Tally): void {
  for (const { tokenId, operationId } of stored.claims) {
    const expiresAtMs = stored.tokens.get(tokenId)?.expirationTimestamp ?? Infinity;
    const claimedAtMs = stored.operations.get(operationId)?.createdAtMs ?? 0;
    tally.check('I4', claimedAtMs < expiresAtMs, () => `token ${tokenId} was claimed after it had expired`);
  }
  for (const { tokenId, sentFirstAtMs } of refusedWith('TokenClaimExpired', { history, stored })) {
    const expiresAtMs = stored.tokens.get(tokenId ?? 0)?.expirationTimestamp ?? Infinity;
    tally.check('I4', expiresAtMs < sentFirstAtMs + 60_000, () => `token ${tokenId} was refused as expired`);
  }
}

// Refused at once, or by the operation's end.
function refusedWith(name: string, { history, stored }: Pick<Evidence, 'history' | 'stored'>): PastRequest[] {
  return history.requests.filter(
    ({ answers, locations }) =>
      answers.some((answer) => answer.outcome === 'refused' && answer.name === name) ||
      [...locations].some((location) => stored.operations.get(operationIdOf(location))?.errorName === name),
  );
}
