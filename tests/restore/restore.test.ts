import { describe, expect, inject, test } from 'vitest';

const drill = inject('drill');

test('the service returns no token after the table was dropped', () => {
  expect(drill.tokenAfterLoss).toBeUndefined();
});

const databases = [
  { name: 'dump', title: 'restored from a dump', began: 'the dump began', ended: 'the dump ended' },
  { name: 'restore', title: 'restored to a point in time', began: 'that time', ended: 'that time' },
] as const;

describe.for(databases)('a database $title', ({ name, began, ended }) => {
  test(`has every operation that was accepted before ${began}`, () => {
    expect(drill[name].stored.missing).toBe(0);
  });
  test(`has no operation that was requested after ${ended}`, () => {
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
    expect(drill[name].stored.contradictory).toBe(0);
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
  test('starts with operations that were pending at the restored moment', () => {
    const { stored, pendingAtMoment } = drill.restore;
    expect(stored.pending).toBeGreaterThanOrEqual(pendingAtMoment);
  });
  test('settles every operation that was accepted before the restored moment', () => {
    const { accepted, settled } = drill.restore.before;
    expect(accepted).toBeGreaterThan(0);
    expect(settled).toBe(accepted);
  });
  test('returns every token as it was read before the restored moment', () => {
    expect(drill.restore.before.changedTokens).toBe(0);
  });
  test('returns the first operation if a creation that was accepted before the restored moment is sent again', () => {
    expect(drill.restore.before.otherOperations).toBe(0);
  });
  test('returns no operation that was requested after the restored moment', () => {
    expect(drill.restore.after.known).toBe(0);
  });
  test('accepts every lost creation when it is sent again', () => {
    const { lost, acceptedAgain } = drill.restore.after;
    expect(lost).toBeGreaterThan(0);
    expect(acceptedAgain).toBe(lost);
  });
  test('leaves a database in which badge doctor finds no problem', () => {
    expect(drill.restore.doctorExit).toBe(0);
  });
});
