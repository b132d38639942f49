import type { RequestKind } from '../journal.ts';
import type { Evidence } from './evidence.ts';
import type { PastRequest } from './history.ts';
import { contributorKey, operationIdOf, receiverOf } from './history.ts';
import type { StoredOperation } from './stored.ts';
import type { Tally } from './tally.ts';

// A flood is journalled when it is over. A clock of a service is hours off.
const MOST_CLOCK_DIFFERENCE_MS = 5 * 60_000;
const LONGEST_RETRIES_MS = 15 * 60_000;

/** I1: what was accepted, or read as created, was never missing. */
export function checkReadable({ history, answered, stored }: Evidence, tally: Tally): void {
  for (const location of history.accepted.keys()) {
    tally.check('I1', answered.operations.get(location) !== null, () => `${location} answers 404`);
    tally.check('I1', stored.operations.has(operationIdOf(location)), () => `${location} is not stored`);
  }
  for (const seen of history.observations) {
    if (seen.type === 'operation') {
      tally.check('I1', seen.operation !== null, () => `${seen.location} answered 404 once`);
    } else if (seen.type === 'token') {
      tally.check('I1', seen.counts !== null, () => `token ${seen.tokenId} answered 404 after its success`);
    }
  }
}

// What two requests that are one operation share.
function identify({ kind, tokenId, body }: PastRequest): string {
  const { headline, creator, contributors = [] } = body;
  const address = receiverOf(body) || body.burningAddress;
  const subject = kind === 'createToken' ? [creator, headline] : [tokenId, address, ...contributors];
  return `${kind} ${subject.join(' ')}`;
}

/** I2: a signed request is one operation, and an operation is one token. */
export function checkOnce({ history, stored }: Evidence, tally: Tally): void {
  for (const [identity, requests] of Map.groupBy(history.requests, identify)) {
    const locations = new Set(requests.flatMap((request) => [...request.locations]));
    const operations = [...locations]
      .flatMap((location) => stored.operations.get(operationIdOf(location)) ?? [])
      .toSorted((a, b) => a.sequence - b.sequence);
    // Only an operation that ended in error frees its request for another one.
    const isOne = operations.slice(0, -1).every(({ status }) => status === 'error');
    tally.check('I2', isOne, () => `${identity} is ${operations.map(({ id }) => id).join(' and ')}`);
  }

  const idsByHeadline = Map.groupBy(stored.tokens.values(), ({ headline }) => headline);
  for (const [location, { kind, body }] of history.accepted) {
    const operation = stored.operations.get(operationIdOf(location));
    if (kind !== 'createToken' || operation?.status !== 'success') continue;
    const tokens = idsByHeadline.get(body.headline ?? '') ?? [];
    const [token] = tokens;
    const isIts = token?.operationId === operation.id && `0x${token.creator}` === body.creator?.toLowerCase();
    tally.check(
      'I2',
      tokens.length === 1 && isIts,
      () => `${location} has ${tokens.length} tokens of its headline`,
    );
  }

  // A claim whose answer was lost may have been settled before it was sent again; a creation is found again.
  const known = new Set([...history.accepted.keys()].map(operationIdOf));
  const strangers = [...stored.operations.values()].filter(({ id }) => !known.has(id));
  for (const kind of Object.keys(REFUSALS) as RequestKind[]) {
    const found = strangers.filter(({ type }) => type === kind).length;
    const lost = history.requests
      .filter((request) => request.kind === kind)
      .flatMap(({ answers }) => answers)
      .filter(({ outcome }) => outcome === 'unknown').length;
    const most = kind === 'createToken' ? 0 : lost;
    tally.check('I2', found <= most, () => `${found} ${kind} operations are stored that nobody was told of`);
  }
}

/** I6: all is final, and the client knows what became of each request. */
export function checkFinal({ history, stored, openOperations }: Evidence, tally: Tally): void {
  tally.add('I6', stored.operations.size);
  tally.check('I6', openOperations === 0, () => `${openOperations} operations are still open`);
  for (const { kind, answers } of history.requests) {
    const isKnown = answers.some(({ outcome }) => outcome !== 'unknown');
    tally.check(
      'I6',
      isKnown,
      () => `a ${kind} request never got an answer: ${JSON.stringify(answers.at(-1))}`,
    );
  }
}

const CLAIM_REFUSALS = ['ClaimingAddressAlreadyHasToken', 'NoTokensLeft', 'TokenClaimExpired'];
const REFUSALS: Record<RequestKind, string[]> = {
  // Its NFT type may have been deleted meanwhile.
  createToken: ['NftTypeNotFound'],
  claim: [...CLAIM_REFUSALS, 'AddressNotAllowlisted'],
  airdrop: CLAIM_REFUSALS,
  communityAdminAirdrop: CLAIM_REFUSALS,
  burn: ['TokenNotOwned'],
  addContributors: [],
};

/** I7: an operation has its effect if, and only if, it ended in success; and all tell the same of it. */
export function checkEffects({ history, answered, stored }: Evidence, tally: Tally): void {
  const tokens = new Map([...stored.tokens.values()].map((token) => [token.operationId, token.id]));
  const claims = new Map(stored.claims.map((claim) => [claim.operationId, claim.tokenId]));
  const burns = new Map(stored.claims.map((claim) => [claim.burnOperationId, claim.tokenId]));
  for (const { id, type, status, resourceId } of stored.operations.values()) {
    const effect = tokens.get(id) ?? claims.get(id) ?? burns.get(id) ?? null;
    const expected = status === 'success' && type !== 'addContributors' ? resourceId : null;
    tally.check('I7', effect === expected, () => `${type} ${id} is ${status}, its token ${effect}`);
  }

  for (const [location, { kind, tokenId, body, sentFirstAtMs }] of history.accepted) {
    const operation = stored.operations.get(operationIdOf(location));
    if (operation === undefined) continue;
    const offMs = operation.createdAtMs - sentFirstAtMs;
    const isTimely = offMs > -MOST_CLOCK_DIFFERENCE_MS && offMs < LONGEST_RETRIES_MS;
    tally.check('I7', isTimely, () => `${location} was created ${Math.round(offMs)} ms after it was sent`);
    const isExpected = operation.status !== 'error' || REFUSALS[kind].includes(operation.errorName ?? '');
    tally.check('I7', isExpected, () => `${kind} ${location} ended in ${operation.errorName}`);
    const told = answered.operations.get(location);
    tally.check(
      'I7',
      told === null || isSame(operation, told),
      () => `${location} is told as ${told?.status}`,
    );
    if (operation.status !== 'success') continue;
    const id = tokenId ?? operation.resourceId;
    tally.check(
      'I7',
      operation.type === kind && operation.resourceId === id,
      () => `${location} is no ${kind} of token ${id}`,
    );
    const keys = (body.contributors ?? []).map((contributor) => `${id}/${contributorKey(contributor)}`);
    tally.check(
      'I7',
      keys.every((key) => stored.allowlist.has(key)),
      () => `${location} listed not all contributors`,
    );
  }

  for (const seen of history.observations) {
    if (seen.type === 'snapshot') {
      tally.add('I7', seen.tokens + seen.claims);
    } else if (seen.type === 'operation' && seen.operation !== null) {
      const operation = stored.operations.get(operationIdOf(seen.location));
      const isKept = operation !== undefined && isSame(operation, seen.operation);
      tally.check(
        'I7',
        isKept,
        () => `${seen.location} was ${seen.operation?.status}, is ${operation?.status}`,
      );
    }
  }
}

function isSame(
  stored: StoredOperation,
  told: { status: string; resourceId: number | null; errorName: string | null } | undefined,
): boolean {
  return (
    told !== undefined &&
    stored.status === told.status &&
    stored.resourceId === told.resourceId &&
    stored.errorName === told.errorName
  );
}

/** I9: the audit log tells of every operation once, and of nothing that is not there. */
export function checkAudited({ stored }: Evidence, tally: Tally): void {
  const entries = Map.groupBy(stored.auditEntries, ({ operationId }) => operationId);
  for (const { id, type } of stored.operations.values()) {
    const actions = (entries.get(id) ?? []).map(({ action }) => action);
    const isHeld = actions.length === 1 && actions[0] === type;
    tally.check(
      'I9',
      isHeld,
      () => `the audit log tells of ${type} ${id} as ${actions.join(' and ') || 'nothing'}`,
    );
  }
  for (const id of entries.keys()) {
    tally.check('I9', stored.operations.has(id), () => `${id} is in the audit log alone`);
  }
}

/** I10: every answer was one that the request may get. */
export function checkAnswers({ history, ownEnds }: Evidence, tally: Tally): void {
  for (const { kind, answers } of history.requests) {
    for (const answer of answers) {
      const isFit =
        answer.outcome === 'accepted' ||
        (answer.outcome === 'unknown' && (answer.status === null || answer.status === 503)) ||
        (answer.outcome === 'refused' && REFUSALS[kind].includes(answer.name));
      tally.check('I10', isFit, () => `${kind} was answered ${JSON.stringify(answer)}`);
    }
  }
  for (const end of ownEnds) tally.check('I10', false, () => end);
}
