import { describe, expect, inject, test } from 'vitest';

const drill = inject('drill');

test('a dropped table loses the tokens', () => {
  expect(drill.tokenAfterLoss).toBeUndefined();
});

describe.for(['dump', 'restore'] as const)('%s', (name) => {
  test('holds every operation that was accepted before', () => {
    expect(drill[name].stored.missing).toBe(0);
  });
  test('holds no operation that was sent after', () => {
    expect(drill[name].stored.unexpected).toBe(0);
  });
  test('has token ids without gaps', () => {
    const { tokens, highestTokenId, lastTokenId } = drill[name].stored;
    expect([tokens, highestTokenId]).toEqual([lastTokenId, lastTokenId]);
  });
  test('has remaining counts that agree with the claims', () => {
    expect(drill[name].stored.miscounted).toBe(0);
  });
  test('has operations that agree with the tokens and claims', () => {
    expect(drill[name].stored.halfDone).toBe(0);
  });
  test('gives a new token the next id', () => {
    const { lastTokenId, nextTokenId } = drill[name].nextToken;
    expect(nextTokenId).toBe(lastTokenId + 1);
  });
});

test('badge migrate accepts a restored dump', () => {
  expect(drill.dump.migrateExit).toBe(0);
});

describe('a service on the restored database', () => {
  test('starts with pending operations', () => {
    const { stored, pendingAtMoment } = drill.restore;
    expect(stored.pending).toBeGreaterThanOrEqual(pendingAtMoment);
  });
  test('settles every operation that was accepted before', () => {
    const { accepted, settled } = drill.restore.before;
    expect(settled).toBe(accepted);
  });
  test('returns every token as it was read before', () => {
    expect(drill.restore.before.changedTokens).toBe(0);
  });
  test('answers every request that was accepted before with the same operation', () => {
    expect(drill.restore.before.otherOperations).toBe(0);
  });
  test('does not know operations that were accepted after', () => {
    expect(drill.restore.after.known).toBe(0);
  });
  test('accepts every lost creation when it is sent again', () => {
    const { lost, acceptedAgain } = drill.restore.after;
    expect(acceptedAgain).toBe(lost);
  });
  test('leaves a database in which badge doctor finds no problem', () => {
    expect(drill.restore.doctorExit).toBe(0);
  });
});
