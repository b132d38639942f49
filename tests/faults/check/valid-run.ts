import type { Token } from '@badge/protocol';
import type { AttemptResult, JournalEntry, ProbeKind, RequestKind, SeenOperation } from '../journal.ts';
import { COMMUNITY_ID } from '../load/requests.ts';
import { EVENT_TYPES } from './check-operations.ts';
import type { StoredClaim, StoredToken } from './database-state.ts';
import type { Evidence } from './evidence.ts';
import { contributorKey } from './history.ts';

export const ADA = `0x${'aD'.repeat(20)}`;
export const BEN = `0x${'Be'.repeat(20)}`;
export const CAI = `0x${'cA'.repeat(20)}`;
export const DOT = `0x${'d0'.repeat(20)}`;
export const EVE = `0x${'eE'.repeat(20)}`;
export const FAY = `0x${'fA'.repeat(20)}`;
export const GIL = `0x${'91'.repeat(20)}`;
export const IDA = `0x${'4A'.repeat(20)}`;
export const GUS = `0x${'a0'.repeat(20)}`;
export const HAL = `0x${'b0'.repeat(20)}`;

/**
 * The evidence of a small run. It contains the entries of the journal instead of the history. Each test
 * changes a run.
 */
export interface Run extends Omit<Evidence, 'history'> {
  entries: JournalEntry[];
}

export const SENT_AT_MS = Date.UTC(2026, 0, 1);

/**
 * Makes a run without violations.
 *
 * - Token 1 is open and fully claimed.
 * - Token 2 is allowlisted. It has four claim links: EVE (used by EVE), UNUSED, EXPIRED (after a second) and
 *   REVOKED. Its room link ROOM is for two claims, was paused once, and FAY has claimed with it. FULL is a
 *   used room link, and CLOSED was revoked after IDA claimed with it.
 * - Token 3 is open. It was created without an idempotency key. FAY claimed it, and it was revoked. GUS
 *   claimed it, and it was moved to HAL.
 */
export function makeValidRun(): Run {
  const run: Run = {
    entries: [],
    database: {
      operations: new Map(),
      tokens: new Map(),
      claims: [],
      links: new Map(),
      allowlist: new Set(),
      nftTypes: new Set([`${COMMUNITY_ID}/own`]),
      nftTypesWithoutAsset: 0,
      tokenIds: [],
      lastTokenId: 0,
      wrongListRows: 0,
      wrongCountRows: 0,
      auditEntries: [],
      events: [],
      missingPositions: 0,
    },
    api: {
      operations: new Map(),
      tokens: [],
      owners: new Map(),
      nftTypeIds: new Set(['defaultOrangeRed', 'own']),
      claimLinks: new Map(),
    },
    unfinishedOperations: 0,
    unexpectedExits: [],
    hasWebhook: true,
    undelivered: 0,
  };
  createToken(run, 1, { total: 2, contributors: [] });
  createToken(run, 2, { total: null, contributors: [ADA, 'ben@example.org'] });
  createToken(run, 3, { total: 5, contributors: [], hasIdempotencyKey: false });
  claim(run, { id: 'claim of ben', tokenId: 1, address: BEN });
  claim(run, { id: 'airdrop to cai', tokenId: 1, address: CAI, kind: 'airdrop' });
  claim(run, { id: 'claim of ada', tokenId: 2, address: ADA, key: contributorKey(ADA) });
  const identifier = 'ben@example.org';
  claim(run, { id: 'claim by mail', tokenId: 2, address: BEN, key: contributorKey(identifier), identifier });
  addOperation(run, 'failed claim', 'claim', {
    tokenId: 1,
    body: { claimingAddress: DOT },
    errorName: 'NoTokensLeft',
  });
  addOperation(run, 'addition', 'addContributors', { tokenId: 2, body: { contributors: [CAI] } });
  run.database.allowlist.add(`2/${contributorKey(CAI)}`);
  burn(run, 'burn by ben', 1, BEN);
  claim(run, { id: 'claim of fay', tokenId: 3, address: FAY });
  undo(run, 'revocation of fay', 'revoke', FAY, { ending: 'revoked', burnOperationId: 'revocation of fay' });
  undo(run, 'reinstatement of fay', 'reinstate', FAY, { ending: null, burnOperationId: null });
  undo(run, 'second revocation of fay', 'revoke', FAY, {
    ending: 'revoked',
    burnOperationId: 'second revocation of fay',
  });
  claim(run, { id: 'claim of gus', tokenId: 3, address: GUS });
  undo(run, 'move to hal', 'move', GUS, { ending: 'moved', burnOperationId: 'move to hal' }, HAL);
  run.database.claims.push({
    claimedAtMs: SENT_AT_MS,
    tokenId: 3,
    address: contributorKey(HAL),
    contributorKey: null,
    operationId: 'move to hal',
    burnOperationId: null,
    ending: null,
    movedFrom: contributorKey(GUS),
  });
  run.api.owners.set(3, [contributorKey(HAL)]);
  addOperation(run, 'removal', 'removeContributors', { tokenId: 2, body: { contributors: ['gone'] } });
  addOperation(run, 'failed removal', 'removeContributors', {
    tokenId: 2,
    body: { contributors: ['ben@example.org'] },
    errorName: 'ContributorHasClaimed',
  });
  createLink(run, 'EVE');
  createLink(run, 'UNUSED');
  createLink(run, 'EXPIRED', SENT_AT_MS + 1_000);
  createLink(run, 'REVOKED');
  revokeLink(run, 'REVOKED');
  claim(run, { id: 'claim by code', tokenId: 2, address: EVE, key: keyOfLink('EVE'), claimCode: 'EVE' });
  Object.assign(run.api.claimLinks.get('EVE') ?? {}, {
    status: 'used',
    claimingAddress: contributorKey(EVE),
  });
  createLink(run, 'ROOM', undefined, 2);
  createLink(run, 'FULL', undefined, 1);
  createLink(run, 'CLOSED', undefined, 2);
  for (const [address, claimCode] of [
    [FAY, 'ROOM'],
    [GIL, 'FULL'],
    [IDA, 'CLOSED'],
  ] as const) {
    claimInRoom(run, { id: `claim in ${claimCode}`, address, claimCode });
  }
  Object.assign(run.api.claimLinks.get('FULL') ?? {}, { status: 'used' });
  revokeLink(run, 'CLOSED');
  run.entries.push({ type: 'pause', claimLinkId: 'ROOM' });
  journalRefusedClaim(run, 'ClaimCodePaused', 2, { claimingAddress: DOT, claimCode: 'ROOM' });
  journalRefusedClaim(run, 'ClaimCodeUsed', 2, { claimingAddress: DOT, claimCode: 'FULL' });
  journalRefusedClaim(run, 'ClaimCodeUsed', 2, { claimingAddress: DOT, claimCode: 'EVE' });
  for (const claimCode of ['EXPIRED', 'REVOKED', 'NONE'])
    journalRefusedClaim(run, 'ClaimCodeInvalid', 2, { claimingAddress: DOT, claimCode });
  journalRefusedClaim(run, 'NoTokensLeft', 1, { claimingAddress: ADA });
  journalRefusedClaim(run, 'AddressNotAllowlisted', 2, { claimingAddress: DOT });
  journalRefusedClaim(run, 'ClaimingAddressAlreadyHasToken', 1, { claimingAddress: BEN });
  run.entries.push(
    {
      type: 'operation',
      location: locationOf('token 1'),
      operation: makeFinalOperation('createToken', 1, null),
    },
    { type: 'token', tokenId: 1, counts: { total: 2, remaining: 0 } },
    { type: 'snapshot', tokens: 3, claims: 4, oldestPendingMs: 0 },
    { type: 'checked', invariant: 'I11', count: 1 },
    { type: 'checked', invariant: 'I14', count: 1 },
    { type: 'checked', invariant: 'I15', count: 1 },
    { type: 'checked', invariant: 'I16', count: 1 },
    { type: 'checked', invariant: 'I17', count: 1 },
    toKeyEntry({ isRevoked: false, status: 200 }),
    toKeyEntry({ isRevoked: true, status: 401 }),
    toSessionEntry({ isMember: true, status: 200 }),
    toSessionEntry({ isMember: false, status: 403 }),
    toProbeEntry('healthz', 900),
    toProbeEntry('write', 4_900),
    { type: 'memory', attack: 'flood', process: 'all', peakBytes: 999_000_000 },
  );
  return run;
}

export function locationOf(operationId: string): string {
  return `/v1/operations/${operationId}`;
}

/** Journals a request with the results of its attempts. */
export function journalRequest(
  { entries }: Run,
  {
    kind,
    tokenId,
    owner,
    body,
    idempotencyKey = null,
  }: {
    kind: RequestKind;
    tokenId: number | null;
    owner?: string;
    body: object;
    idempotencyKey?: string | null;
  },
  results: AttemptResult[],
): void {
  const requestId = entries.length;
  const ownerPath = owner === undefined ? '' : `owners/${owner}/`;
  const path = tokenId === null ? '/v1/tokens' : `/v1/tokens/${tokenId}/${ownerPath}${kind}`;
  entries.push({
    type: 'request',
    requestId,
    request: { kind, path, body: JSON.stringify(body), isKeySent: true, idempotencyKey },
  });
  for (const result of results) entries.push({ type: 'result', requestId, result });
}

/** Journals a claim that is refused immediately. */
export function journalRefusedClaim(run: Run, name: string, tokenId: number, body: object): void {
  journalRequest(run, { kind: 'claim', tokenId, body }, [{ outcome: 'refused', status: 409, name }]);
}

/** Journals a request that first got a 503 and was then accepted, and stores its final operation. */
export function addOperation(
  run: Run,
  id: string,
  kind: RequestKind,
  {
    tokenId,
    body,
    resourceId = tokenId,
    errorName = null,
    ...creation
  }: {
    tokenId: number | null;
    body: object;
    resourceId?: number | null;
    errorName?: string | null;
    owner?: string;
    headline?: string;
    idempotencyKey?: string;
  },
): void {
  journalRequest(run, { kind, tokenId, body, ...creation }, [
    { outcome: 'unknown', status: 503, reason: 'Unavailable' },
    { outcome: 'accepted', location: locationOf(id) },
  ]);
  const operation = makeFinalOperation(kind, errorName === null ? resourceId : null, errorName);
  const sequence = run.database.operations.size + 1;
  const { headline = null } = creation;
  run.database.operations.set(id, {
    id,
    sequence,
    type: kind,
    createdAtMs: SENT_AT_MS,
    headline,
    ...operation,
  });
  run.api.operations.set(locationOf(id), operation);
  run.database.auditEntries.push({ operationId: id, action: kind });
  const type = errorName === null ? (EVENT_TYPES[kind] ?? 'badge.claimed') : 'operation.failed';
  run.database.events.push({ id: `event of ${id}`, communityId: COMMUNITY_ID, type, operationId: id });
  run.entries.push({ type: 'feed', eventIds: [`event of ${id}`] });
  run.entries.push({ type: 'received', eventId: `event of ${id}`, isSigned: true, bodyHash: id });
}

function makeFinalOperation(
  operationType: string,
  resourceId: number | null,
  errorName: string | null,
): SeenOperation {
  return { operationType, status: errorName === null ? 'success' : 'error', resourceId, errorName };
}

function createToken(
  run: Run,
  id: number,
  {
    total,
    contributors,
    hasIdempotencyKey = true,
  }: { total: number | null; contributors: string[]; hasIdempotencyKey?: boolean },
): void {
  const token: StoredToken = {
    id,
    operationId: `token ${id}`,
    headline: `Token ${id}`,
    creator: contributorKey(ADA),
    communityId: COMMUNITY_ID,
    nftTypeId: 'defaultOrangeRed',
    total,
    remaining: total,
    expirationTimestamp: null,
    isHidden: false,
  };
  const { headline, communityId, nftTypeId } = token;
  const body = {
    headline,
    communityId,
    nftTypeId,
    creator: ADA,
    contributors,
    ...(total === null ? {} : { totalClaimCount: total }),
  };
  const request = { tokenId: null, body, resourceId: id, headline };
  addOperation(run, token.operationId, 'createToken', {
    ...request,
    ...(hasIdempotencyKey ? { idempotencyKey: headline } : {}),
  });
  run.database.tokens.set(id, token);
  run.database.tokenIds.push(id);
  run.database.lastTokenId = id;
  for (const contributor of contributors) run.database.allowlist.add(`${id}/${contributorKey(contributor)}`);
  run.api.tokens.push(toApiToken(token));
  run.api.owners.set(id, []);
}

function toApiToken({ id, headline, communityId, nftTypeId, total, remaining }: StoredToken): Token {
  return {
    tokenId: id,
    headline,
    description: '',
    startDateTimestamp: null,
    endDateTimestamp: null,
    links: [],
    communityId,
    nftTypeId,
    customAttributes: [],
    criteria: null,
    claimableFromTimestamp: null,
    validUntilTimestamp: null,
    validityDays: null,
    createdByAddress: ADA,
    createdAtTimestamp: 0,
    imageUrl: '',
    claimabilityAttributes: {
      isSignatureRequired: false,
      isAllowlistRequired: total === null,
      totalClaimCount: total,
      remainingClaimCount: remaining,
      expirationTimestamp: null,
    },
    replacedByTokenId: null,
    importedFrom: null,
    claimedCount: total === null ? 0 : total - (remaining ?? 0),
    contributorCount: total === null ? 0 : null,
    recipientCount: 0,
    isHidden: false,
  };
}

/** Adds a claim or an airdrop that has succeeded. `key` is the allowlist entry that it uses. */
export function claim(
  run: Run,
  {
    id,
    tokenId,
    address,
    kind = 'claim',
    key = null,
    identifier,
    claimCode,
  }: {
    id: string;
    tokenId: number;
    address: string;
    kind?: 'claim' | 'airdrop';
    key?: string | null;
    identifier?: string;
    claimCode?: string;
  },
): void {
  const body = kind === 'claim' ? { claimingAddress: address, identifier, claimCode } : { address };
  addOperation(run, id, kind, { tokenId, body });
  const owner = contributorKey(address);
  run.database.claims.push({
    claimedAtMs: SENT_AT_MS,
    tokenId,
    address: owner,
    contributorKey: key,
    operationId: id,
    burnOperationId: null,
    ending: null,
    movedFrom: null,
  });
  run.api.owners.get(tokenId)?.push(owner);
  const token = run.database.tokens.get(tokenId);
  const shown = run.api.tokens.find((one) => one.tokenId === tokenId);
  if (token === undefined || shown === undefined || token.remaining === null) return;
  token.remaining -= 1;
  shown.claimabilityAttributes.remainingClaimCount = token.remaining;
}

/** The allowlist entry of a link. */
export function keyOfLink(code: string): string {
  return contributorKey(`link ${code}`);
}

/** Adds a claim of token 2 with the code of a room, and counts it. */
export function claimInRoom(
  run: Run,
  { id, address, claimCode }: { id: string; address: string; claimCode: string },
): void {
  claim(run, { id, tokenId: 2, address, key: contributorKey(address), claimCode });
  run.database.allowlist.add(`2/${contributorKey(address)}`);
  const stored = run.database.links.get(claimCode);
  const shown = run.api.claimLinks.get(claimCode);
  if (stored !== undefined) stored.claimCount += 1;
  if (shown !== undefined) shown.claimCount += 1;
}

/** Creates a link for token 2. Its id is its code. With `maxClaims`, it is for a room. */
function createLink(
  { entries, database, api }: Run,
  code: string,
  expiresAtTimestamp: number | null = null,
  maxClaims: number | null = null,
): void {
  const link = { claimLinkId: code, code, identifier: null, expiresAtTimestamp, maxClaims };
  entries.push({ type: 'claimLinks', tokenId: 2, links: [link] });
  const entry = { tokenId: 2, contributorKey: keyOfLink(code) };
  database.links.set(code, {
    ...entry,
    id: code,
    hasOwnEntry: maxClaims === null,
    revokedAtMs: null,
    isRevoked: false,
    maxClaims,
    claimCount: 0,
  });
  api.claimLinks.set(code, { status: 'unused', claimingAddress: null, claimCount: 0 });
}

function revokeLink({ entries, database, api }: Run, code: string): void {
  for (const status of [null, 204]) entries.push({ type: 'revocation', claimLinkId: code, status });
  Object.assign(database.links.get(code) ?? {}, { isRevoked: true, revokedAtMs: SENT_AT_MS });
  Object.assign(api.claimLinks.get(code) ?? {}, { status: 'revoked' });
}

function burn(run: Run, id: string, tokenId: number, address: string): void {
  addOperation(run, id, 'burn', { tokenId, body: { burningAddress: address } });
  const owner = contributorKey(address);
  for (const held of run.database.claims) {
    if (held.tokenId === tokenId && held.address === owner) held.burnOperationId = id;
  }
  const owners = run.api.owners.get(tokenId) ?? [];
  run.api.owners.set(
    tokenId,
    owners.filter((one) => one !== owner),
  );
}

/** Adds a revocation, a reinstatement or a move of token 3, and what it makes of the claim. */
function undo(
  run: Run,
  id: string,
  kind: 'revoke' | 'reinstate' | 'move',
  address: string,
  changes: Partial<StoredClaim>,
  toAddress?: string,
): void {
  addOperation(run, id, kind, { tokenId: 3, owner: address, body: { toAddress }, idempotencyKey: id });
  const claim = run.database.claims.find(
    (one) => one.tokenId === 3 && one.address === contributorKey(address),
  );
  Object.assign(claim ?? {}, changes);
}

/** A probe during an attack. Neither the prober nor the service waited for a processor. */
export function toProbeEntry(probe: ProbeKind, tookMs: number) {
  return {
    type: 'probe' as const,
    attack: 'flood',
    probe,
    tookMs,
    lagMs: 0,
    serviceWaitMs: 0,
    failure: null,
  };
}

/** A GET with a key that the load created. */
export function toKeyEntry({ isRevoked, status }: { isRevoked: boolean; status: number }): JournalEntry {
  const names = { communityId: 'other', apiKeyId: 'key', processName: 'all' };
  return { type: 'key', ...names, isRevoked, status };
}

/** A GET with the session of a member that the load added. */
export function toSessionEntry({ isMember, status }: { isMember: boolean; status: number }): JournalEntry {
  return { type: 'session', address: ADA, isMember, processName: 'all', status };
}
