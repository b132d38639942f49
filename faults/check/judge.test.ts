import { describe, expect, test } from 'vitest';
import { judge } from './evidence.ts';
import { contributorKey, toHistory } from './history.ts';
import {
  ADA,
  BEN,
  CAI,
  DOT,
  locationOf,
  makeSoundRun,
  type Run,
  refuse,
  SENT_AT_MS,
  send,
  settle,
} from './sound-run.ts';
import type { StoredClaim, StoredOperation, StoredToken } from './stored.ts';
import type { Invariant } from './tally.ts';

const LATE = locationOf('late claim');

// By the invariant that it breaks first of all, each thing that may be wrong with a run.
const VIOLATIONS: Record<Invariant, Record<string, (run: Run) => void>> = {
  I1: {
    'an accepted operation answers 404': ({ answered }) => answered.operations.set(LATE, null),
    'an accepted operation is not stored': ({ stored }) => stored.operations.delete('late claim'),
    'an accepted operation was missing for a time': ({ entries }) =>
      entries.push({ type: 'operation', location: LATE, operation: null }),
    'a created token was missing for a time': ({ entries }) =>
      entries.push({ type: 'token', tokenId: 1, counts: null }),
  },
  I2: {
    'a request is two operations': (run) => {
      settle(run, 'another addition', 'addContributors', { tokenId: 2, body: { contributors: [CAI] } });
      send(run, { kind: 'addContributors', tokenId: 2, body: { contributors: [CAI] } }, [
        { outcome: 'accepted', location: locationOf('addition') },
        { outcome: 'accepted', location: locationOf('another addition') },
      ]);
    },
    'a request is accepted again after its success': (run) => {
      const body = { claimingAddress: BEN };
      const errorName = 'ClaimingAddressAlreadyHasToken';
      settle(run, 'another claim of ben', 'claim', { tokenId: 1, body, errorName });
    },
    'an operation has two tokens': ({ stored, answered }) => {
      tokenOf(stored.tokens, 3).headline = 'Token 1';
      for (const token of answered.tokens) if (token.tokenId === 3) token.headline = 'Token 1';
    },
    'a token has another creator': ({ stored }) => {
      tokenOf(stored.tokens, 3).creator = contributorKey(BEN);
    },
    'an operation is stored that nobody was told of': ({ stored }) => {
      stored.operations.set('unknown', {
        ...operationOf(stored.operations, 'late claim'),
        id: 'unknown',
        type: 'createToken',
      });
    },
  },
  I3: {
    'a claim was not taken off the remaining count': (run) => setRemaining(run, 3, 6),
    'a snapshot showed claims that were not taken off': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I3', detail: 'seen in a snapshot' }),
    'a token was shown with more places than it has': ({ entries }) =>
      entries.push({ type: 'token', tokenId: 3, counts: { total: 5, remaining: 6 } }),
    'a token was shown with a negative count': ({ entries }) =>
      entries.push({ type: 'token', tokenId: 3, counts: { total: 5, remaining: -1 } }),
    'somebody was turned away from a token with places left': (run) =>
      refuse(run, 'NoTokensLeft', 3, { claimingAddress: DOT }),
  },
  I4: {
    'an allowlisted token is claimed without an entry': ({ stored }) => {
      claimOf(stored.claims, 'claim of ada').contributorKey = null;
    },
    'an allowlisted token is claimed by an entry that nobody sent': ({ stored }) => {
      claimOf(stored.claims, 'claim of ada').contributorKey = contributorKey(DOT);
    },
    'somebody listed is refused as a stranger': (run) =>
      refuse(run, 'AddressNotAllowlisted', 2, { claimingAddress: ADA }),
  },
  I5: {
    'an address has a token twice': ({ stored, answered }) => {
      stored.claims.push({ ...claimOf(stored.claims, 'claim of ada'), contributorKey: contributorKey(CAI) });
      answered.owners.get(2)?.push(contributorKey(ADA));
    },
    'an identifier has a token twice': ({ stored, answered }) => {
      stored.claims.push({ ...claimOf(stored.claims, 'claim by mail'), address: contributorKey(DOT) });
      answered.owners.get(2)?.push(contributorKey(DOT));
    },
    'two operations granted an address one token': (run) => {
      settle(run, 'airdrop to ben', 'airdrop', { tokenId: 1, body: { address: BEN } });
      claimOf(run.stored.claims, 'airdrop to cai').operationId = 'airdrop to ben';
      const late = operationOf(run.stored.operations, 'late claim');
      run.stored.operations.set('airdrop to cai', { ...late, id: 'airdrop to cai', type: 'airdrop' });
      run.answered.operations.set(locationOf('airdrop to cai'), { ...late, operationType: 'airdrop' });
    },
    'a claim is stored for another address': ({ stored, answered }) => {
      claimOf(stored.claims, 'airdrop to cai').address = contributorKey(DOT);
      answered.owners.set(1, [contributorKey(DOT)]);
    },
    'somebody was told to have a token and has not': (run) =>
      refuse(run, 'ClaimingAddressAlreadyHasToken', 1, { claimingAddress: DOT }),
    'other owners are told than stored': ({ answered }) => answered.owners.set(1, []),
  },
  I6: {
    'an operation is still open': (run) => {
      run.openOperations = 1;
    },
    'a request never got an answer': (run) =>
      send(run, { kind: 'claim', tokenId: 3, body: { claimingAddress: DOT } }, [
        { outcome: 'unknown', status: null, reason: 'ECONNREFUSED' },
      ]),
  },
  I7: {
    'an operation that succeeded has no token': (run) => {
      settle(run, 'burn by dot', 'burn', { tokenId: 3, body: { burningAddress: DOT } });
    },
    'an operation that failed has a token': ({ stored, answered }) => {
      const operation = { ...operationOf(stored.operations, 'claim of ada'), status: 'error' };
      Object.assign(operation, { resourceId: null, errorName: 'ClaimingAddressAlreadyHasToken' });
      stored.operations.set('claim of ada', operation);
      answered.operations.set(locationOf('claim of ada'), { ...operation, operationType: 'claim' });
    },
    'an operation has another token than it tells': ({ stored, answered }) => {
      operationOf(stored.operations, 'airdrop to cai').resourceId = 2;
      answered.operations.set(locationOf('airdrop to cai'), {
        operationType: 'airdrop',
        status: 'success',
        resourceId: 2,
        errorName: null,
      });
    },
    'an operation ended in an error that it cannot have': (run) =>
      settle(run, 'burnt', 'burn', {
        tokenId: 3,
        body: { burningAddress: DOT },
        errorName: 'InternalError',
      }),
    'an operation is told otherwise than stored': ({ answered }) =>
      answered.operations.set(LATE, {
        operationType: 'claim',
        status: 'success',
        resourceId: 1,
        errorName: null,
      }),
    'a final operation changed': ({ entries }) =>
      entries.push({
        type: 'operation',
        location: LATE,
        operation: { operationType: 'claim', status: 'success', resourceId: 1, errorName: null },
      }),
    'a snapshot showed a token before its success': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I7', detail: 'seen in a snapshot' }),
    'contributors are missing': ({ stored }) => stored.allowlist.delete(`2/${contributorKey(CAI)}`),
    'a token is not listed': ({ answered }) => answered.tokens.pop(),
    'a token is listed with another count': ({ answered }) => {
      for (const token of answered.tokens) token.claimabilityAttributes.remainingClaimCount = 0;
    },
  },
  I8: {
    'a token has an unknown type': ({ stored }) => {
      tokenOf(stored.tokens, 3).nftTypeId = 'unknown';
    },
    'a type has no asset': ({ stored }) => {
      stored.typesWithoutAsset = 1;
    },
  },
  I9: {
    'an operation is in the audit log twice': ({ stored }) => {
      stored.auditEntries.push(...stored.auditEntries.slice(0, 1));
    },
    'an operation is not in the audit log': ({ stored }) => stored.auditEntries.pop(),
  },
  I11: {
    'SIGTERM lost a request': ({ entries }) =>
      entries.push({ type: 'violation', invariant: 'I11', detail: 'SIGTERM lost it' }),
  },
  I10: {
    'a request is answered 500': (run) =>
      send(run, { kind: 'claim', tokenId: 2, body: { claimingAddress: DOT } }, [
        { outcome: 'unknown', status: 500, reason: 'InternalError' },
        { outcome: 'refused', status: 409, name: 'AddressNotAllowlisted' },
      ]),
    'a fitting request is refused': (run) =>
      send(run, { kind: 'burn', tokenId: 1, body: { burningAddress: CAI } }, [
        { outcome: 'refused', status: 403, name: 'NotSignedByOwner' },
      ]),
    'a process ended by itself': ({ ownEnds }) => ownEnds.push('all ended by itself'),
  },
  I12: {
    'the counter is ahead of the tokens': ({ stored }) => {
      stored.lastTokenId = 4;
    },
    'a token id is left out': ({ stored, answered }) => {
      stored.tokens.set(3, { ...tokenOf(stored.tokens, 3), id: 4 });
      stored.lastTokenId = 4;
      operationOf(stored.operations, 'token 3').resourceId = 4;
      answered.operations.set(locationOf('token 3'), {
        operationType: 'createToken',
        status: 'success',
        resourceId: 4,
        errorName: null,
      });
      for (const token of answered.tokens) if (token.tokenId === 3) token.tokenId = 4;
    },
  },
};

test('a sound run breaks nothing, and every invariant is checked', () => {
  const { results } = judge(toEvidence(makeSoundRun()));
  for (const [invariant, { violations, checked, details }] of Object.entries(results)) {
    expect({ invariant, violations, details }).toEqual({ invariant, violations: 0, details: [] });
    expect(checked, invariant).toBeGreaterThan(0);
  }
});

describe.each(Object.entries(VIOLATIONS))('%s is broken where', (invariant, violations) => {
  test.each(Object.entries(violations))('%s', (_, change) => {
    const run = makeSoundRun();
    change(run);
    const { results } = judge(toEvidence(run));
    const broken = Object.entries(results).filter(([, { violations }]) => violations > 0);
    expect(broken.map(([name]) => name)).toContain(invariant);
  });
});

function toEvidence({ entries, ...rest }: Run) {
  const timed = entries.map((entry) => ({ ...entry, atMs: SENT_AT_MS }));
  return { history: toHistory(timed), ...rest };
}

function setRemaining({ stored, answered }: Run, tokenId: number, remaining: number): void {
  tokenOf(stored.tokens, tokenId).remaining = remaining;
  for (const token of answered.tokens) {
    if (token.tokenId === tokenId) token.claimabilityAttributes.remainingClaimCount = remaining;
  }
}

function tokenOf(tokens: Map<number, StoredToken>, id: number): StoredToken {
  return existing(tokens.get(id));
}

function operationOf(operations: Map<string, StoredOperation>, id: string): StoredOperation {
  return existing(operations.get(id));
}

function claimOf(claims: StoredClaim[], operationId: string): StoredClaim {
  return existing(claims.find((claim) => claim.operationId === operationId));
}

function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the sound run has no such thing');
  return found;
}
