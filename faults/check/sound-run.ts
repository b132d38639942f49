import type { Token } from '@badge/protocol';
import type { Answer, JournalEntry, RequestKind, SeenOperation } from '../journal.ts';
import { COMMUNITY_ID } from '../load/requests.ts';
import type { Evidence } from './evidence.ts';
import { contributorKey } from './history.ts';
import type { StoredToken } from './stored.ts';

export const ADA = `0x${'aD'.repeat(20)}`;
export const BEN = `0x${'Be'.repeat(20)}`;
export const CAI = `0x${'cA'.repeat(20)}`;
export const DOT = `0x${'d0'.repeat(20)}`;

/** What a small run leaves, still to be changed. */
export interface Run extends Omit<Evidence, 'history'> {
  entries: JournalEntry[];
}

export const SENT_AT_MS = Date.UTC(2026, 0, 1);

/** A run without a violation: an open token with all its places taken, an allowlisted one, and one untouched. */
export function makeSoundRun(): Run {
  const run: Run = {
    entries: [],
    stored: {
      operations: new Map(),
      tokens: new Map(),
      claims: [],
      allowlist: new Set(),
      addedNftTypes: new Set([`${COMMUNITY_ID}/own`]),
      typesWithoutAsset: 0,
      lastTokenId: 0,
      auditEntries: [],
    },
    answered: {
      operations: new Map(),
      tokens: [],
      owners: new Map(),
      nftTypeIds: new Set(['defaultOrangeRed', 'own']),
    },
    openOperations: 0,
    ownEnds: [],
  };
  createToken(run, 1, { total: 2, contributors: [] });
  createToken(run, 2, { total: null, contributors: [ADA, 'ben@example.org'] });
  createToken(run, 3, { total: 5, contributors: [] });
  claim(run, { id: 'claim of ben', tokenId: 1, address: BEN });
  claim(run, { id: 'airdrop to cai', tokenId: 1, address: CAI, kind: 'airdrop' });
  claim(run, { id: 'claim of ada', tokenId: 2, address: ADA, key: contributorKey(ADA) });
  const identifier = 'ben@example.org';
  claim(run, { id: 'claim by mail', tokenId: 2, address: BEN, key: contributorKey(identifier), identifier });
  settle(run, 'late claim', 'claim', {
    tokenId: 1,
    body: { claimingAddress: DOT },
    errorName: 'NoTokensLeft',
  });
  settle(run, 'addition', 'addContributors', { tokenId: 2, body: { contributors: [CAI] } });
  run.stored.allowlist.add(`2/${contributorKey(CAI)}`);
  burn(run, 'burn by ben', 1, BEN);
  refuse(run, 'NoTokensLeft', 1, { claimingAddress: ADA });
  refuse(run, 'AddressNotAllowlisted', 2, { claimingAddress: DOT });
  refuse(run, 'ClaimingAddressAlreadyHasToken', 1, { claimingAddress: BEN });
  run.entries.push(
    { type: 'operation', location: locationOf('token 1'), operation: seen('createToken', 1, null) },
    { type: 'token', tokenId: 1, counts: { total: 2, remaining: 0 } },
    { type: 'snapshot', tokens: 3, claims: 4, oldestPendingMs: 0 },
    { type: 'checked', invariant: 'I11', count: 1 },
  );
  return run;
}

export function locationOf(operationId: string): string {
  return `/v1/operations/${operationId}`;
}

/** Journals a request with the answers of its attempts. */
export function send(
  { entries }: Run,
  { kind, tokenId, body }: { kind: RequestKind; tokenId: number | null; body: object },
  answers: Answer[],
): void {
  const requestId = entries.length;
  const path = tokenId === null ? '/v1/tokens' : `/v1/tokens/${tokenId}/${kind}`;
  entries.push({
    type: 'request',
    requestId,
    request: { kind, path, body: JSON.stringify(body), isKeySent: true },
  });
  for (const answer of answers) entries.push({ type: 'answer', requestId, answer });
}

/** Journals a claim that is refused at once. */
export function refuse(run: Run, name: string, tokenId: number, body: object): void {
  send(run, { kind: 'claim', tokenId, body }, [{ outcome: 'refused', status: 409, name }]);
}

/** Journals a request whose first answer was lost, and settles its operation. */
export function settle(
  run: Run,
  id: string,
  kind: RequestKind,
  {
    tokenId,
    body,
    resourceId = tokenId,
    errorName = null,
  }: { tokenId: number | null; body: object; resourceId?: number | null; errorName?: string | null },
): void {
  send(run, { kind, tokenId, body }, [
    { outcome: 'unknown', status: 503, reason: 'ServiceUnavailable' },
    { outcome: 'accepted', location: locationOf(id) },
  ]);
  const operation = seen(kind, errorName === null ? resourceId : null, errorName);
  const sequence = run.stored.operations.size + 1;
  run.stored.operations.set(id, { id, sequence, type: kind, createdAtMs: SENT_AT_MS, ...operation });
  run.answered.operations.set(locationOf(id), operation);
  run.stored.auditEntries.push({ operationId: id, action: kind });
}

function seen(operationType: string, resourceId: number | null, errorName: string | null): SeenOperation {
  return { operationType, status: errorName === null ? 'success' : 'error', resourceId, errorName };
}

function createToken(
  run: Run,
  id: number,
  { total, contributors }: { total: number | null; contributors: string[] },
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
  };
  const { headline, nftTypeId } = token;
  const body = {
    headline,
    nftTypeId,
    creator: ADA,
    contributors,
    ...(total === null ? {} : { totalClaimCount: total }),
  };
  settle(run, token.operationId, 'createToken', { tokenId: null, body, resourceId: id });
  run.stored.tokens.set(id, token);
  run.stored.lastTokenId = id;
  for (const contributor of contributors) run.stored.allowlist.add(`${id}/${contributorKey(contributor)}`);
  run.answered.tokens.push(toAnswer(token));
  run.answered.owners.set(id, []);
}

function toAnswer({ id, headline, communityId, nftTypeId, total, remaining }: StoredToken): Token {
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
  };
}

function claim(
  run: Run,
  {
    id,
    tokenId,
    address,
    kind = 'claim',
    key = null,
    identifier,
  }: {
    id: string;
    tokenId: number;
    address: string;
    kind?: 'claim' | 'airdrop';
    key?: string | null;
    identifier?: string;
  },
): void {
  const body = kind === 'claim' ? { claimingAddress: address, identifier } : { address };
  settle(run, id, kind, { tokenId, body });
  const owner = contributorKey(address);
  run.stored.claims.push({
    tokenId,
    address: owner,
    contributorKey: key,
    operationId: id,
    burnOperationId: null,
  });
  run.answered.owners.get(tokenId)?.push(owner);
  const token = run.stored.tokens.get(tokenId);
  const told = run.answered.tokens.find((answer) => answer.tokenId === tokenId);
  if (token === undefined || told === undefined || token.remaining === null) return;
  token.remaining -= 1;
  told.claimabilityAttributes.remainingClaimCount = token.remaining;
}

function burn(run: Run, id: string, tokenId: number, address: string): void {
  settle(run, id, 'burn', { tokenId, body: { burningAddress: address } });
  const owner = contributorKey(address);
  for (const held of run.stored.claims) {
    if (held.tokenId === tokenId && held.address === owner) held.burnOperationId = id;
  }
  const owners = run.answered.owners.get(tokenId) ?? [];
  run.answered.owners.set(
    tokenId,
    owners.filter((one) => one !== owner),
  );
}
