import { createFairSemaphore } from '@badge/turn-queue/fair-semaphore';
import { expect, test } from 'vitest';
import { createPace } from '../rate-limits/create-pace.ts';
import { createRequestCounter } from '../rate-limits/request-counter.ts';
import { CODE_WINDOW_SECONDS, createGuessLimit } from './room-codes.ts';

const RIGHT = 'AAAA-AAAA';

function start() {
  let nowMs = 0;
  let looked = 0;
  const used = new Set<string>();
  const counter = createRequestCounter(() => nowMs, CODE_WINDOW_SECONDS);
  // The windows follow the clock of the database.
  const report = counter.report();
  counter.merge(report, { nowMs: 0, requests: new Map() }, 0);
  const check = createGuessLimit(
    counter,
    {
      isKnown: async ({ claimCode }) => {
        looked += 1;
        return claimCode === RIGHT;
      },
      isKnownToClient: async ({ client, claimCode }) => claimCode === RIGHT && used.has(client),
    },
    createPace({ burst: 1, perSecond: 0.5 }, () => nowMs),
  );
  const readConnections = createFairSemaphore({
    perCaller: 3,
    total: 8,
    maxWaitMs: 10_000,
    onWait: () => undefined,
    refuse: () => new Error('too many wait'),
  });
  const { signal } = new AbortController();
  const guess = (claimCode: string, client = 'a') =>
    check({ tokenId: '1', claimCode, client }, (work) => readConnections.run(client, signal, work)).then(
      () => 'checked',
      (error: Error) => error.message.slice(0, 20),
    );
  return { guess, used, lookUps: () => looked, advance: (ms: number) => (nowMs += ms) };
}

const wrong = (index: number) => `0000-${String(index).padStart(4, '0')}`;

// A client looks up three at the same time, so one or two can be looked up before the twentieth is counted.
test('of 1,000 wrong codes that arrive at the same time, 20 are looked up, and up to three more', async () => {
  const { guess, lookUps } = start();
  const results = await Promise.all(Array.from({ length: 1_000 }, (_, index) => guess(wrong(index))));
  expect(results.filter((result) => result === 'checked')).toHaveLength(lookUps());
  expect(lookUps()).toBeGreaterThan(20);
  expect(lookUps()).toBeLessThanOrEqual(23);
  expect(await guess(wrong(0), 'b')).toBe('checked');
});

test('1,000 right codes at the same time are all checked', async () => {
  const { guess } = start();
  const results = await Promise.all(Array.from({ length: 1_000 }, () => guess(RIGHT)));
  expect(new Set(results)).toEqual(new Set(['checked']));
});

test('a right code passes after 20 wrong ones only if the client has used it before', async () => {
  const { guess, used } = start();
  await guess(RIGHT, 'a');
  for (const client of ['a', 'b', 'c']) {
    for (let index = 0; index < 21; index += 1) await guess(wrong(index), client);
  }
  used.add('c');
  expect(await guess(RIGHT, 'a')).toBe('checked');
  expect(await guess('aaaaaaaa', 'a')).toBe('checked');
  expect(await guess(RIGHT, 'b')).toBe('Too many wrong codes');
  // This client has claimed with the code, perhaps by another process.
  expect(await guess(RIGHT, 'c')).toBe('checked');
});

test('after 20 wrong codes, a right one waits two seconds at most', async () => {
  const { guess, advance } = start();
  for (let index = 0; index < 21; index += 1) await guess(wrong(index));
  expect(await guess(RIGHT)).toBe('Too many wrong codes');
  advance(2_000);
  expect(await guess(RIGHT)).toBe('checked');
  expect(await guess('AAAAAAAA', 'a')).toBe('checked');
  expect(await guess(wrong(21))).toBe('Too many wrong codes');
  advance(2_000);
  expect(await guess(wrong(21))).toBe('checked');
  expect(await guess(wrong(22))).toBe('Too many wrong codes');
});

test('a client that guesses without a pause gets 20 checks in a minute, and one every two seconds', async () => {
  const { guess, advance, lookUps } = start();
  for (let second = 0; second < 60; second += 1) {
    for (let index = 0; index < 25; index += 1) await guess(wrong(second * 25 + index));
    advance(1_000);
  }
  expect(lookUps()).toBe(50);
});
