import type { RequestKind } from '../journal.ts';
import { COMMUNITY_ID } from '../load/requests.ts';
import { checkLinksExist } from './check-codes.ts';
import type { StoredOperation } from './database-state.ts';
import type { Evidence } from './evidence.ts';
import { operationIdOf, receiverOf, type SentRequest } from './history.ts';
import type { InvariantTally } from './tally.ts';

const CLAIM_ERRORS = ['ClaimingAddressAlreadyHasToken', 'NoTokensLeft', 'TokenClaimExpired'];

/** The errors that each valid request may get, immediately or when its operation fails. */
export const OPERATION_ERRORS: Record<RequestKind, string[]> = {
  // The NFT type of the request may have been deleted in the meantime.
  createToken: ['NftTypeNotFound'],
  claim: [...CLAIM_ERRORS, 'AddressNotAllowlisted', 'ClaimCodeInvalid', 'ClaimCodeUsed', 'ClaimCodePaused'],
  airdrop: CLAIM_ERRORS,
  communityAdminAirdrop: CLAIM_ERRORS,
  burn: ['TokenNotOwned'],
  addContributors: [],
  // InvalidRequest: the contributor claimed before the request arrived.
  removeContributors: ['ContributorHasClaimed', 'InvalidRequest'],
  revoke: ['TokenNotOwned'],
  reinstate: ['TokenNotRevoked'],
  move: ['TokenNotOwned', 'ClaimingAddressAlreadyHasToken'],
};

/**
 * I1: accepted operations and created tokens can always be read. A created key works until it is revoked, and
 * not afterwards. The session of a member works until the member is removed, and not afterwards. A created
 * claim link exists, and a revoked one stays revoked.
 */
export function checkReadable(evidence: Evidence, tally: InvariantTally): void {
  const { history, api, database } = evidence;
  const { expect } = tally;
  for (const location of history.accepted.keys()) {
    expect(api.operations.get(location) !== null, () => `GET ${location} returns 404`);
    expect(database.operations.has(operationIdOf(location)), () => `${location} is not in the database`);
  }
  for (const seen of history.observations) {
    if (seen.type === 'operation') {
      expect(seen.operation !== null, () => `GET ${seen.location} returned 404 during the run`);
    } else if (seen.type === 'token') {
      expect(seen.counts !== null, () => `token ${seen.tokenId} returned 404 after its operation succeeded`);
    } else if (seen.type === 'key') {
      const { isRevoked, status, processName, communityId } = seen;
      const isExpected = status === (isRevoked ? 401 : 200);
      const state = isRevoked ? 'revoked' : 'created';
      expect(isExpected, () => `a ${state} key of ${communityId} got ${status} from ${processName}`);
    } else if (seen.type === 'session') {
      const { isMember, status, processName, address } = seen;
      const isExpected = status === (isMember ? 200 : 403);
      const state = isMember ? 'a member' : 'a removed member';
      expect(isExpected, () => `the session of ${state}, ${address}, got ${status} from ${processName}`);
    }
  }
  checkLinksExist(evidence, tally);
}

// Without a key, equal create requests get the same operation for 60 s. The check requires one second less:
// `created_at` is the time when a statement began, and the statement may have waited before it looked for an
// equal request.
const REPETITION_PERIOD_MS = 59_000;

/**
 * I2: an idempotency key has one operation. Without a key, equal requests within a minute have one operation.
 * A successful createToken operation has one token.
 */
export function checkOnce(evidence: Evidence, { expect }: InvariantTally): void {
  checkCreates(evidence, expect);
  const { history, database } = evidence;
  const otherRequests = history.requests.filter(({ kind }) => kind !== 'createToken');
  for (const [identity, requests] of Map.groupBy(otherRequests, identify)) {
    const locations = new Set(requests.flatMap((request) => [...request.locations]));
    const operations = [...locations]
      .flatMap((location) => database.operations.get(operationIdOf(location)) ?? [])
      .toSorted((a, b) => a.sequence - b.sequence);
    // A request may be sent again, as a new operation, only after its operation failed.
    const isOnce = operations.slice(0, -1).every(({ status }) => status === 'error');
    expect(isOnce, () => `${identity} has several operations: ${operations.map(({ id }) => id).join(', ')}`);
  }

  // If the response to a claim was lost, its retry may be refused. Then the client never learns the
  // operation's id. So each operation that no client knows needs an attempt with an unknown result.
  const accepted = new Set([...history.accepted.keys()].map(operationIdOf));
  const unknownOperations = [...database.operations.values()].filter(({ id }) => !accepted.has(id));
  for (const kind of Object.keys(OPERATION_ERRORS) as RequestKind[]) {
    if (kind === 'createToken') continue;
    const found = unknownOperations.filter(({ type }) => type === kind).length;
    const unknownResults = otherRequests
      .filter((request) => request.kind === kind)
      .flatMap(({ results }) => results)
      .filter(({ outcome }) => outcome === 'unknown').length;
    expect(
      found <= unknownResults,
      () =>
        `${found} ${kind} operations are stored that no client got a 202 for, but only ${unknownResults} attempts have an unknown result`,
    );
  }
}

// Every create request of the run has its own headline.
function checkCreates({ history, database }: Evidence, expect: InvariantTally['expect']): void {
  const stored = [...database.operations.values()].filter(({ type }) => type === 'createToken');
  const storedByHeadline = Map.groupBy(stored, ({ headline }) => headline);
  const tokensByOperation = Map.groupBy(database.tokens.values(), ({ operationId }) => operationId);
  for (const { kind, body, idempotencyKey, locations } of history.requests) {
    if (kind !== 'createToken') continue;
    const { headline = '', creator = '' } = body;
    const operations = (storedByHeadline.get(headline) ?? []).toSorted((a, b) => a.sequence - b.sequence);
    storedByHeadline.delete(headline);
    const ids = operations.map(({ id }) => id);
    const isOnce = idempotencyKey === null ? areAllowedRepetitions(operations) : operations.length <= 1;
    expect(isOnce, () => `"${headline}" has several operations: ${ids.join(', ')}`);
    const accepted = [...locations].map(operationIdOf);
    const isOwnOperation = accepted.every((id) => ids.includes(id));
    expect(
      isOwnOperation,
      () => `"${headline}" got the operation of another request: ${accepted.join(', ')}`,
    );
    // With a key, every retry returns the operation, so the client learns its id.
    const isKnown = idempotencyKey === null || ids.every((id) => accepted.includes(id));
    expect(isKnown, () => `"${headline}" has an operation that no client got a 202 for: ${ids.join(', ')}`);
    for (const { id, status } of operations) {
      const tokens = tokensByOperation.get(id) ?? [];
      const [token] = tokens;
      const isOwn = token?.headline === headline && `0x${token.creator}` === creator.toLowerCase();
      const hasRightToken = status === 'success' ? tokens.length === 1 && isOwn : tokens.length === 0;
      expect(
        hasRightToken,
        () => `${id} has ${tokens.length} tokens${isOwn ? '' : ', and the first is not its own'}`,
      );
    }
  }
  for (const { id, headline } of [...storedByHeadline.values()].flat()) {
    expect(false, () => `${id} ("${headline}") was stored but never requested`);
  }
}

// Without a key, an equal request may get a second operation after the first one failed, or after a minute.
function areAllowedRepetitions(operations: StoredOperation[]): boolean {
  return operations.every(({ createdAtMs }, index) => {
    const previous = operations[index - 1];
    return (
      previous === undefined ||
      previous.status === 'error' ||
      createdAtMs - previous.createdAtMs >= REPETITION_PERIOD_MS
    );
  });
}

// Returns the same text for requests that the service treats as equal. Like the service, it ignores the
// identifier of a claim. A token can be revoked or moved again, so such a request is identified by its
// idempotency key.
function identify({ kind, tokenId, owner, body, idempotencyKey }: SentRequest): string {
  const { contributors = [], claimCode } = body;
  const address = receiverOf(body) || body.burningAddress;
  if (owner !== null) return `${kind} ${tokenId} ${owner} ${idempotencyKey}`;
  return `${kind} ${[tokenId, address, claimCode, ...contributors].join(' ')}`;
}

/** I6: every operation is final, and every request was accepted or refused in the end. */
export function checkFinal(
  { history, database, unfinishedOperations }: Evidence,
  tally: InvariantTally,
): void {
  tally.add(database.operations.size);
  tally.expect(unfinishedOperations === 0, () => `${unfinishedOperations} operations are not final`);
  for (const { kind, results } of history.requests) {
    const isKnown = results.some(({ outcome }) => outcome !== 'unknown');
    tally.expect(isKnown, () => `a ${kind} request has no known result: ${JSON.stringify(results.at(-1))}`);
  }
}

/**
 * I9: the audit log has one entry for every operation, and the feed one event. Neither has one about an
 * operation that does not exist. A reader of the feed has got all its events, in their order. The receiver of
 * a webhook has got each at least once, always with the same id and body.
 */
export function checkRecorded(evidence: Evidence, tally: InvariantTally): void {
  checkAudited(evidence, tally);
  checkEvents(evidence, tally);
  checkFeed(evidence, tally);
  if (evidence.hasWebhook) checkWebhook(evidence, tally);
}

/** The event of a successful operation, by its type. All others are `badge.claimed`. */
export const EVENT_TYPES: Record<string, string> = {
  createToken: 'token.created',
  addContributors: 'contributors.added',
  removeContributors: 'contributors.removed',
  burn: 'badge.burnt',
  revoke: 'badge.revoked',
  reinstate: 'badge.reinstated',
  move: 'badge.moved',
};

function checkEvents({ database }: Evidence, { expect }: InvariantTally): void {
  const events = Map.groupBy(database.events, ({ operationId }) => operationId);
  for (const { id, type, status } of database.operations.values()) {
    const types = (events.get(id) ?? []).map((event) => event.type);
    const expected = expectEvents(type, status);
    expect(
      types.join() === expected.join(),
      () => `${type} ${id} is ${status} and has these events: ${types.join(', ') || 'none'}`,
    );
  }
  for (const id of events.keys()) {
    expect(id === null || database.operations.has(id), () => `${id} has an event but no operation`);
  }
  expect(
    database.missingPositions === 0,
    () => `${database.missingPositions} positions of the feed are missing`,
  );
}

function expectEvents(type: string, status: string): string[] {
  if (status === 'success') return [EVENT_TYPES[type] ?? 'badge.claimed'];
  return status === 'error' ? ['operation.failed'] : [];
}

// The reader has not always read the last events.
function checkFeed({ history, database }: Evidence, { expect }: InvariantTally): void {
  const read = history.observations.flatMap((seen) => (seen.type === 'feed' ? seen.eventIds : []));
  const stored = database.events.filter(({ communityId }) => communityId === COMMUNITY_ID);
  for (const [index, eventId] of read.entries()) {
    const expected = stored[index]?.id;
    expect(eventId === expected, () => `event ${index + 1} of the feed was ${eventId}, but is ${expected}`);
  }
}

function checkWebhook({ history, database, undelivered }: Evidence, { expect }: InvariantTally): void {
  const bodies = new Map<string, string>();
  for (const seen of history.observations) {
    if (seen.type !== 'received') continue;
    const { eventId, isSigned, bodyHash } = seen;
    expect(isSigned, () => `event ${eventId} was received with a wrong signature`);
    const isSame = (bodies.get(eventId) ?? bodyHash) === bodyHash;
    expect(isSame, () => `event ${eventId} was received with two bodies`);
    bodies.set(eventId, bodyHash);
  }
  expect(undelivered === 0, () => `${undelivered} events were not delivered in time`);
  const stored = database.events.filter(({ communityId }) => communityId === COMMUNITY_ID);
  for (const { id, type } of stored) {
    expect(bodies.delete(id), () => `the event ${type} ${id} was never received`);
  }
  for (const eventId of bodies.keys()) expect(false, () => `${eventId} was received, but is no event`);
}

function checkAudited({ database }: Evidence, { expect }: InvariantTally): void {
  const entries = Map.groupBy(database.auditEntries, ({ operationId }) => operationId);
  for (const { id, type } of database.operations.values()) {
    const actions = (entries.get(id) ?? []).map(({ action }) => action);
    const isAudited = actions.length === 1 && actions[0] === type;
    expect(isAudited, () => `${type} ${id} has these audit entries: ${actions.join(', ') || 'none'}`);
  }
  for (const id of entries.keys()) {
    expect(database.operations.has(id), () => `${id} has an audit entry but no operation`);
  }
}

/** I10: every result is one of those allowed for its request, and no process exited by itself. */
export function checkResponses({ history, unexpectedExits }: Evidence, { expect }: InvariantTally): void {
  for (const { kind, results } of history.requests) {
    for (const result of results) {
      const isExpected =
        result.outcome === 'accepted' ||
        (result.outcome === 'unknown' && (result.status === null || result.status === 503)) ||
        (result.outcome === 'refused' && OPERATION_ERRORS[kind].includes(result.name));
      expect(isExpected, () => `${kind} got ${JSON.stringify(result)}`);
    }
  }
  for (const exit of unexpectedExits) expect(false, () => exit);
}
