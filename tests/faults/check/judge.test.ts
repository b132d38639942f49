import { describe, expect, test } from 'vitest';
import type { Invariant } from '../invariants.ts';
import type { JournalEntry, RequestKind } from '../journal.ts';
import { isDelayedByWaits } from './check-isolation.ts';
import type { StoredClaim, StoredLink, StoredOperation, StoredToken } from './database-state.ts';
import { contributorKey, toHistory } from './history.ts';
import { judge } from './judge.ts';
import {
  ADA,
  addOperation,
  BEN,
  CAI,
  claim,
  claimInRoom,
  DOT,
  EVE,
  journalRefusedClaim,
  journalRequest,
  keyOfLink,
  locationOf,
  makeValidRun,
  type Run,
  SENT_AT_MS,
  toKeyEntry,
  toProbeEntry,
  toSessionEntry,
} from './valid-run.ts';

// An accepted claim whose operation ended in NoTokensLeft.
const FAILED_CLAIM = locationOf('failed claim');

// Each function changes a valid run so that it violates the invariant. For each check there is a run that no
// other check of the invariant finds, so a removed check fails a test.
const VIOLATIONS: Record<Invariant, Record<string, (run: Run) => void>> = {
  I1: {
    'an accepted operation returns 404': ({ api }) => api.operations.set(FAILED_CLAIM, null),
    'an accepted operation is not stored': ({ database }) => database.operations.delete('failed claim'),
    'an accepted operation returned 404 during the run': ({ entries }) =>
      entries.push({ type: 'operation', location: FAILED_CLAIM, operation: null }),
    'a created token returned 404 during the run': ({ entries }) =>
      entries.push({ type: 'token', tokenId: 1, counts: null }),
    'a created key was rejected': ({ entries }) =>
      entries.push(toKeyEntry({ isRevoked: false, status: 401 })),
    'a revoked key was accepted': ({ entries }) => entries.push(toKeyEntry({ isRevoked: true, status: 200 })),
    'the session of a member was rejected': ({ entries }) =>
      entries.push(toSessionEntry({ isMember: true, status: 403 })),
    'the session of a removed member was accepted': ({ entries }) =>
      entries.push(toSessionEntry({ isMember: false, status: 200 })),
    'a created claim link is not stored': ({ database }) => database.links.delete('UNUSED'),
    'a revoked claim link is not revoked any more': ({ database }) => {
      linkOf(database.links, 'REVOKED').isRevoked = false;
    },
  },
  I2: {
    'a request has two operations': (run) => {
      addOperation(run, 'another addition', 'addContributors', { tokenId: 2, body: { contributors: [CAI] } });
      journalRequest(run, { kind: 'addContributors', tokenId: 2, body: { contributors: [CAI] } }, [
        { outcome: 'accepted', location: locationOf('addition') },
        { outcome: 'accepted', location: locationOf('another addition') },
      ]);
    },
    'a request gets a second operation after its success': (run) => {
      const body = { claimingAddress: BEN };
      const errorName = 'ClaimingAddressAlreadyHasToken';
      addOperation(run, 'another claim of ben', 'claim', { tokenId: 1, body, errorName });
    },
    'a request with a key has two operations': ({ database }) =>
      addCopy(database.operations, 'token 1', 3_600_000),
    'a request with a key has another operation, which ended in error': ({ database }) => {
      addCopy(database.operations, 'token 1', 0).status = 'error';
    },
    'two attempts of a request with a key got different operations': ({ entries, database }) => {
      const copy = addCopy(database.operations, 'token 1', 0);
      copy.status = 'error';
      const { requestId } = acceptanceOf(entries, 'token 1');
      const result = { outcome: 'accepted' as const, location: locationOf(copy.id) };
      entries.push({ type: 'result', requestId, result });
    },
    'equal requests without a key have two operations within a minute': ({ database }) => {
      addCopy(database.operations, 'token 3', 50_000).status = 'error';
    },
    'a request got the operation of another request': ({ entries }) => {
      const location = locationOf('token 1');
      acceptanceOf(entries, 'token 3').result = { outcome: 'accepted', location };
    },
    'an operation created two tokens': ({ database }) => {
      database.tokens.set(4, { ...tokenOf(database.tokens, 3), id: 4 });
    },
    'a token has the headline of another request': ({ database, api }) => {
      tokenOf(database.tokens, 3).headline = 'Token 1';
      for (const token of api.tokens) if (token.tokenId === 3) token.headline = 'Token 1';
    },
    'a token has another creator': ({ database }) => {
      tokenOf(database.tokens, 3).creator = contributorKey(BEN);
    },
    'a createToken operation was never requested': ({ database }) =>
      addUnknown(database.operations, 'createToken'),
    'an admin airdrop was never requested': ({ database }) =>
      addUnknown(database.operations, 'communityAdminAirdrop'),
    'no attempt of a request with a key got its operation': ({ entries }) => {
      const result = { outcome: 'refused' as const, status: 404, name: 'NftTypeNotFound' };
      acceptanceOf(entries, 'token 1').result = result;
    },
  },
  I3: {
    'a room link counts a claim that nobody made': ({ database, api }) => {
      Object.assign(database.links.get('ROOM') ?? {}, { claimCount: 2 });
      Object.assign(api.claimLinks.get('ROOM') ?? {}, { claimCount: 2, status: 'used' });
    },
    'a room link does not count a claim': ({ database, api }) => {
      Object.assign(database.links.get('ROOM') ?? {}, { claimCount: 0 });
      Object.assign(api.claimLinks.get('ROOM') ?? {}, { claimCount: 0 });
    },
    'a claim did not reduce the remaining count': (run) => setRemaining(run, 3, 6),
    'a snapshot showed a wrong remaining count': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I3', detail: 'seen in a snapshot' }),
    'the API showed a remaining count above the total': ({ entries }) =>
      entries.push({ type: 'token', tokenId: 3, counts: { total: 5, remaining: 6 } }),
    'the API showed a negative remaining count': ({ entries }) =>
      entries.push({ type: 'token', tokenId: 3, counts: { total: 5, remaining: -1 } }),
    'a claim was refused with NoTokensLeft while claims remained': (run) =>
      journalRefusedClaim(run, 'NoTokensLeft', 3, { claimingAddress: DOT }),
  },
  I4: {
    'a claim of an allowlisted token uses no allowlist entry': ({ database }) => {
      claimOf(database.claims, 'claim of ada').contributorKey = null;
    },
    'a claim uses an allowlist entry that was never requested': ({ database }) => {
      claimOf(database.claims, 'claim of ada').contributorKey = contributorKey(DOT);
    },
    'a listed address is refused': (run) =>
      journalRefusedClaim(run, 'AddressNotAllowlisted', 2, { claimingAddress: ADA }),
    'a claim with a code is refused because the address is not listed': (run) =>
      journalRefusedClaim(run, 'AddressNotAllowlisted', 2, { claimingAddress: DOT, claimCode: 'UNUSED' }),
    'a claim uses the entry of a link whose code nobody sent': ({ database }) => {
      claimOf(database.claims, 'claim of ada').contributorKey = keyOfLink('UNUSED');
    },
    'a claim succeeds with the code of another token': (run) =>
      claimWithCode(run, { id: 'claim', tokenId: 3, claimCode: 'UNUSED', key: null }),
    'a claim succeeds with a revoked code': (run) =>
      claimWithCode(run, { id: 'claim', tokenId: 2, claimCode: 'REVOKED', key: keyOfLink('REVOKED') }),
    'a claim succeeds with an expired code': (run) => {
      claimWithCode(run, { id: 'claim', tokenId: 2, claimCode: 'EXPIRED', key: keyOfLink('EXPIRED') });
      operationOf(run.database.operations, 'claim').createdAtMs = SENT_AT_MS + 1_001;
    },
    'a claim with an unknown code is accepted': (run) =>
      addOperation(run, 'claim', 'claim', {
        tokenId: 2,
        body: { claimingAddress: DOT, claimCode: 'NONE' },
        errorName: 'ClaimCodeInvalid',
      }),
    'a claim is accepted after its code was revoked': (run) =>
      addOperation(run, 'claim', 'claim', {
        tokenId: 2,
        body: { claimingAddress: DOT, claimCode: 'REVOKED' },
        errorName: 'ClaimCodeInvalid',
      }),
    'a claim succeeds after its token has expired': ({ database }) => {
      tokenOf(database.tokens, 1).expirationTimestamp = SENT_AT_MS;
    },
    'a claim is refused as expired, but its token does not expire': (run) =>
      journalRefusedClaim(run, 'TokenClaimExpired', 3, { claimingAddress: DOT }),
    'a claim with the code of a room is granted after its revocation': ({ database }) => {
      claimOf(database.claims, 'claim in CLOSED').claimedAtMs = SENT_AT_MS + 1;
    },
    'a room code is refused as paused, but nobody paused it': (run) =>
      journalRefusedClaim(run, 'ClaimCodePaused', 2, { claimingAddress: DOT, claimCode: 'FULL' }),
    'a valid code is refused as invalid': (run) =>
      journalRefusedClaim(run, 'ClaimCodeInvalid', 2, { claimingAddress: DOT, claimCode: 'UNUSED' }),
  },
  I5: {
    'an address has a token twice': ({ database, api }) => {
      database.claims.push({
        ...claimOf(database.claims, 'claim of ada'),
        contributorKey: contributorKey(CAI),
      });
      api.owners.get(2)?.push(contributorKey(ADA));
    },
    'an identifier is used twice for a token': ({ database, api }) => {
      database.claims.push({ ...claimOf(database.claims, 'claim by mail'), address: contributorKey(DOT) });
      api.owners.get(2)?.push(contributorKey(DOT));
    },
    'two operations granted the same claim': (run) => {
      addOperation(run, 'airdrop to ada', 'airdrop', { tokenId: 2, body: { address: ADA } });
      claimOf(run.database.claims, 'claim of ada').burnOperationId = 'airdrop to ada';
      run.api.owners.set(2, [contributorKey(BEN), contributorKey(EVE)]);
    },
    'two claims succeed with one code': (run) =>
      claimWithCode(run, { id: 'claim', tokenId: 2, claimCode: 'EVE', key: keyOfLink('UNUSED') }),
    'a room code is used once too often': (run) => {
      for (const [index, address] of [CAI, DOT].entries()) {
        claimInRoom(run, { id: `claim ${index}`, address, claimCode: 'ROOM' });
      }
      Object.assign(run.api.claimLinks.get('ROOM') ?? {}, { status: 'used' });
    },
    'a claim in a room uses another entry than that of its address': ({ database }) => {
      claimOf(database.claims, 'claim in ROOM').contributorKey = contributorKey(CAI);
    },
    'a room code is refused as used while a claim is left': (run) =>
      journalRefusedClaim(run, 'ClaimCodeUsed', 2, { claimingAddress: DOT, claimCode: 'ROOM' }),
    'two claims use the entry of one link': (run) =>
      claimWithCode(run, { id: 'claim', tokenId: 2, claimCode: 'UNUSED', key: keyOfLink('EVE') }),
    'a claim succeeds without using its code': (run) =>
      claimWithCode(run, { id: 'claim', tokenId: 2, claimCode: 'UNUSED', key: contributorKey(CAI) }),
    'a code is refused as used after its claim failed': (run) => {
      const body = { claimingAddress: BEN, claimCode: 'UNUSED' };
      const errorName = 'ClaimingAddressAlreadyHasToken';
      addOperation(run, 'claim', 'claim', { tokenId: 2, body, errorName });
      journalRefusedClaim(run, 'ClaimCodeUsed', 2, { claimingAddress: DOT, claimCode: 'UNUSED' });
    },
    'a claim is stored for another address': ({ database, api }) => {
      claimOf(database.claims, 'airdrop to cai').address = contributorKey(DOT);
      api.owners.set(1, [contributorKey(DOT)]);
    },
    'a claim is refused as repeated, but the address does not have the token': (run) =>
      journalRefusedClaim(run, 'ClaimingAddressAlreadyHasToken', 1, { claimingAddress: DOT }),
    'the owners in the API differ from the stored ones': ({ api }) => api.owners.set(1, []),
  },
  I6: {
    'an operation is not final': (run) => {
      run.unfinishedOperations = 1;
    },
    'a request never got a response': (run) =>
      journalRequest(run, { kind: 'claim', tokenId: 3, body: { claimingAddress: DOT } }, [
        { outcome: 'unknown', status: null, reason: 'ECONNREFUSED' },
      ]),
  },
  I7: {
    'a revoked claim is held': ({ database }) => {
      claimOf(database.claims, 'claim of fay').ending = null;
    },
    'a held claim is revoked': ({ database }) => {
      claimOf(database.claims, 'claim of ada').ending = 'revoked';
    },
    'a moved claim is held': ({ database }) => {
      claimOf(database.claims, 'claim of gus').ending = null;
    },
    'a received claim is moved away': ({ database }) => {
      claimOf(database.claims, 'move to hal').ending = 'moved';
    },
    'a removed contributor is still listed': ({ database }) =>
      database.allowlist.add(`2/${contributorKey('gone')}`),
    'a removal failed although nobody claimed': (run) =>
      addOperation(run, 'other removal', 'removeContributors', {
        tokenId: 2,
        body: { contributors: ['nobody'] },
        errorName: 'ContributorHasClaimed',
      }),
    'a successful operation has no effect': (run) => {
      addOperation(run, 'burn by dot', 'burn', { tokenId: 3, body: { burningAddress: DOT } });
    },
    'a failed operation has an effect': ({ database, api }) => {
      const operation = { ...operationOf(database.operations, 'claim of ada'), status: 'error' };
      Object.assign(operation, { resourceId: null, errorName: 'ClaimingAddressAlreadyHasToken' });
      database.operations.set('claim of ada', operation);
      api.operations.set(locationOf('claim of ada'), { ...operation, operationType: 'claim' });
    },
    'an operation shows the id of a token that it did not change': ({ database, api }) => {
      operationOf(database.operations, 'airdrop to cai').resourceId = 2;
      api.operations.set(locationOf('airdrop to cai'), {
        operationType: 'airdrop',
        status: 'success',
        resourceId: 2,
        errorName: null,
      });
    },
    'an operation failed with an unexpected error': (run) =>
      addOperation(run, 'burnt', 'burn', {
        tokenId: 3,
        body: { burningAddress: DOT },
        errorName: 'InternalError',
      }),
    'an operation has the time of a wrong clock': ({ database }) => {
      operationOf(database.operations, 'failed claim').createdAtMs += 2 * 3_600_000;
    },
    'an operation has another type than its request': ({ database }) => {
      operationOf(database.operations, 'burn by ben').type = 'claim';
    },
    'an operation in the API differs from the stored one': ({ api }) =>
      api.operations.set(FAILED_CLAIM, {
        operationType: 'claim',
        status: 'success',
        resourceId: 1,
        errorName: null,
      }),
    'a final operation changed': ({ entries }) =>
      entries.push({
        type: 'operation',
        location: FAILED_CLAIM,
        operation: { operationType: 'claim', status: 'success', resourceId: 1, errorName: null },
      }),
    'a snapshot showed a token before its success': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I7', detail: 'seen in a snapshot' }),
    'a token is in another community': ({ database }) => {
      tokenOf(database.tokens, 3).communityId = 'other';
    },
    'an added contributor is not on the allowlist': ({ database }) =>
      database.allowlist.delete(`2/${contributorKey(CAI)}`),
    'a stored token is missing from the list': ({ api }) => api.tokens.pop(),
    'the list is out of order': ({ api }) => api.tokens.reverse(),
    'a hidden token is in the list': ({ database }) => {
      tokenOf(database.tokens, 3).isHidden = true;
    },
    'a token list differs from the tokens': ({ database }) => {
      database.wrongListRows = 1;
    },
    'a count of claims or contributors is wrong': ({ database }) => {
      database.wrongCountRows = 1;
    },
    'a claim link is shown as used, but nobody has used it': ({ api }) => {
      api.claimLinks.set('UNUSED', { status: 'used', claimingAddress: contributorKey(DOT), claimCount: 0 });
    },
    'a claim link is shown as used by another address': ({ api }) => {
      api.claimLinks.set('EVE', { status: 'used', claimingAddress: contributorKey(DOT), claimCount: 0 });
    },
    'a room link is shown with a wrong count': ({ api }) => {
      Object.assign(api.claimLinks.get('ROOM') ?? {}, { claimCount: 2 });
    },
    'a used room link is shown as unused': ({ api }) => {
      Object.assign(api.claimLinks.get('FULL') ?? {}, { status: 'unused' });
    },
    'the revocation of an unused claim link is refused': ({ entries }) =>
      entries.push({ type: 'revocation', claimLinkId: 'UNUSED', status: 409 }),
    'the list shows a wrong remaining count': ({ api }) => {
      for (const token of api.tokens) token.claimabilityAttributes.remainingClaimCount = 0;
    },
  },
  I8: {
    'a token has an unknown NFT type': ({ database }) => {
      tokenOf(database.tokens, 3).nftTypeId = 'unknown';
    },
    'an NFT type has no asset': ({ database }) => {
      database.nftTypesWithoutAsset = 1;
    },
    'an image differs from the uploaded one': ({ entries }) =>
      entries.push({ type: 'asset', nftTypeId: 'own', isUnchanged: false }),
  },
  I9: {
    'an operation has two audit entries': ({ database }) => {
      database.auditEntries.push(...database.auditEntries.slice(0, 1));
    },
    'an operation has no audit entry': ({ database }) => database.auditEntries.pop(),
    'an operation has two events': ({ database }) => database.events.push(...database.events.slice(-1)),
    'an operation has no event': ({ database }) => database.events.pop(),
    'an operation has the event of another one': ({ database }) =>
      Object.assign(database.events[0] ?? {}, { type: 'badge.burnt' }),
    'an event has no operation': ({ database }) =>
      database.events.push({ id: 'e', communityId: 'demo', type: 'badge.claimed', operationId: 'unknown' }),
    'a reader of the feed has missed an event': ({ entries }) => {
      const index = entries.findIndex(({ type }) => type === 'feed');
      entries.splice(index, 1);
    },
    'a reader of the feed got an event twice': ({ entries }) =>
      entries.push(...entries.filter(({ type }) => type === 'feed').slice(-1)),
    'an event was never received': ({ entries }) => {
      const index = entries.findIndex(({ type }) => type === 'received');
      entries.splice(index, 1);
    },
    'an event was not delivered in time': (run) => {
      run.undelivered = 1;
    },
    'an event was received with a wrong signature': ({ entries }) =>
      entries.push({ type: 'received', eventId: 'event of token 1', isSigned: false, bodyHash: 'token 1' }),
    'an event was received with another body': ({ entries }) =>
      entries.push({ type: 'received', eventId: 'event of token 1', isSigned: true, bodyHash: 'other' }),
    'something was received that is no event': ({ entries }) =>
      entries.push({ type: 'received', eventId: 'unknown', isSigned: true, bodyHash: 'a' }),
    'the feed has a gap': ({ database }) => {
      database.missingPositions = 1;
    },
    'an audit entry has no operation': ({ database }) =>
      database.auditEntries.push({ operationId: 'unknown', action: 'claim' }),
  },
  I10: {
    'a request got a 500': (run) =>
      journalRequest(run, { kind: 'claim', tokenId: 2, body: { claimingAddress: DOT } }, [
        { outcome: 'unknown', status: 500, reason: 'InternalError' },
        { outcome: 'refused', status: 409, name: 'AddressNotAllowlisted' },
      ]),
    'a valid request is refused': (run) =>
      journalRequest(run, { kind: 'burn', tokenId: 1, body: { burningAddress: CAI } }, [
        { outcome: 'refused', status: 403, name: 'NotSignedByOwner' },
      ]),
    'a process exited by itself': ({ unexpectedExits }) => unexpectedExits.push('process "all" ended (1)'),
  },
  I11: {
    'SIGTERM lost a request': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I11', detail: 'SIGTERM lost it' }),
  },
  I12: {
    'the counter is ahead of the tokens': ({ database }) => {
      database.lastTokenId = 4;
    },
    'a token does not have the next id': ({ database }) => database.tokenIds.splice(2, 1, 4),
    'a token id is skipped': ({ database, api }) => {
      database.tokenIds.splice(2, 1, 4);
      database.tokens.set(3, { ...tokenOf(database.tokens, 3), id: 4 });
      database.lastTokenId = 4;
      operationOf(database.operations, 'token 3').resourceId = 4;
      api.operations.set(locationOf('token 3'), {
        operationType: 'createToken',
        status: 'success',
        resourceId: 4,
        errorName: null,
      });
      for (const token of api.tokens) if (token.tokenId === 3) token.tokenId = 4;
    },
  },
  I13: {
    'healthz took more than a second': ({ entries }) => entries.push(toProbeEntry('healthz', 1_100)),
    'a write took more than 5 seconds': ({ entries }) => entries.push(toProbeEntry('write', 5_100)),
    'a read took more than 5 seconds': ({ entries }) => entries.push(toProbeEntry('read', 5_100)),
    'a picture took more than 5 seconds': ({ entries }) => entries.push(toProbeEntry('picture', 5_100)),
    'a probe failed': ({ entries }) =>
      entries.push({ ...toProbeEntry('read', 100), failure: 'it returned 500' }),
    'a probe was too slow even without the time in which the prober could not run': ({ entries }) =>
      entries.push({ ...toProbeEntry('healthz', 1_500), lagMs: 400 }),
    'a process used 1 GB of memory': ({ entries }) =>
      entries.push({ type: 'memory', attack: 'flood', process: 'all', peakBytes: 10 ** 9 }),
  },
  I14: {
    'a response did not show a change that had succeeded before': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I14', detail: 'it showed the former count' }),
  },
  I15: {
    'somebody was lost in a replacement': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I15', detail: 'nobody has it' }),
  },
  I16: {
    'a badge was expired before its end': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I16', detail: 'it is expired' }),
  },
  I17: {
    'somebody was reminded twice': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I17', detail: 'two reminders' }),
  },
};

test('a valid run violates no invariant, and every invariant is checked', () => {
  const { results } = judge(toEvidence(makeValidRun()));
  for (const [invariant, { violations, checked, details }] of Object.entries(results)) {
    expect({ invariant, violations, details }).toEqual({ invariant, violations: 0, details: [] });
    expect(checked, invariant).toBeGreaterThan(0);
  }
});

test('a probe that was too slow only because the prober could not run is no violation', () => {
  const run = makeValidRun();
  run.entries.push({ ...toProbeEntry('healthz', 1_500), lagMs: 600 });
  expect(judge(toEvidence(run)).results.I13.violations).toBe(0);
});

test('a probe that was too slow only because of waits for a processor is a violation, and is recognized as such', () => {
  const delayed = { ...toProbeEntry('healthz', 1_500), serviceWaitMs: 600 };
  const run = makeValidRun();
  run.entries.push(delayed);
  expect(judge(toEvidence(run)).results.I13.violations).toBe(1);
  expect(isDelayedByWaits(delayed)).toBe(true);
  expect(isDelayedByWaits({ ...delayed, serviceWaitMs: 400 })).toBe(false);
  expect(isDelayedByWaits({ ...delayed, failure: 'socket hang up' })).toBe(false);
  expect(isDelayedByWaits({ ...delayed, tookMs: 900 })).toBe(false);
});

test('a second operation of equal requests without a key is no violation after a minute', () => {
  const run = makeValidRun();
  addCopy(run.database.operations, 'token 3', 60_000).status = 'error';
  expect(judge(toEvidence(run)).results.I2.violations).toBe(0);
});

describe.each(Object.entries(VIOLATIONS))('%s is violated if', (invariant, violations) => {
  test.each(Object.entries(violations))('%s', (_, change) => {
    const run = makeValidRun();
    change(run);
    const { results } = judge(toEvidence(run));
    const violated = Object.entries(results).filter(([, { violations }]) => violations > 0);
    expect(violated.map(([name]) => name)).toContain(invariant);
  });
});

function toEvidence({ entries, ...rest }: Run) {
  const timed = entries.map((entry) => ({ ...entry, atMs: SENT_AT_MS }));
  return { history: toHistory(timed), ...rest };
}

function setRemaining({ database, api }: Run, tokenId: number, remaining: number): void {
  tokenOf(database.tokens, tokenId).remaining = remaining;
  for (const token of api.tokens) {
    if (token.tokenId === tokenId) token.claimabilityAttributes.remainingClaimCount = remaining;
  }
}

/** The entry with the 202 for this operation. */
function acceptanceOf(
  entries: JournalEntry[],
  operationId: string,
): Extract<JournalEntry, { type: 'result' }> {
  const location = locationOf(operationId);
  return required(
    entries
      .filter((entry) => entry.type === 'result')
      .find(({ result }) => result.outcome === 'accepted' && result.location === location),
  );
}

/** Stores a failed operation that no request explains. */
function addUnknown(operations: Map<string, StoredOperation>, type: RequestKind): void {
  operations.set('unknown', { ...operationOf(operations, 'failed claim'), id: 'unknown', type });
}

/** Stores a copy of an operation, accepted `laterMs` later. */
function addCopy(operations: Map<string, StoredOperation>, id: string, laterMs: number): StoredOperation {
  const first = operationOf(operations, id);
  const copy = { ...first, id: `${id} again`, sequence: operations.size + 1 };
  copy.createdAtMs += laterMs;
  operations.set(copy.id, copy);
  return copy;
}

function tokenOf(tokens: Map<number, StoredToken>, id: number): StoredToken {
  return required(tokens.get(id));
}

function operationOf(operations: Map<string, StoredOperation>, id: string): StoredOperation {
  return required(operations.get(id));
}

function linkOf(links: Map<string, StoredLink>, id: string): StoredLink {
  return required(links.get(id));
}

/** Adds a claim by DOT with a code. `key` is the allowlist entry that it uses. */
function claimWithCode(
  run: Run,
  request: { id: string; tokenId: number; claimCode: string; key: string | null },
): void {
  claim(run, { ...request, address: DOT });
}

function claimOf(claims: StoredClaim[], operationId: string): StoredClaim {
  return required(claims.find((claim) => claim.operationId === operationId));
}

function required<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the valid run has no such row or entry');
  return found;
}
