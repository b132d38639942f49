import { expect, test } from 'vitest';
import { createRequestCounter } from '../rate-limits/request-counter.ts';
import { createGuessLimit, GUESS_WINDOW_SECONDS } from './code-guesses.ts';

const RIGHT = 'AAAA-AAAA';

function start() {
  let nowMs = 0;
  let looked = 0;
  const used = new Set<string>();
  const check = createGuessLimit(
    createRequestCounter(() => nowMs, GUESS_WINDOW_SECONDS),
    {
      isKnown: async ({ claimCode }) => {
        looked += 1;
        return claimCode === RIGHT;
      },
      isKnownToClient: async ({ client, claimCode }) => claimCode === RIGHT && used.has(client),
    },
  );
  const guess = (claimCode: string, client = 'a') =>
    check({ tokenId: '1', claimCode, client }).then(
      () => 'checked',
      (error: Error) => error.message.slice(0, 20),
    );
  return { guess, used, lookUps: () => looked, advance: (ms: number) => (nowMs += ms) };
}

const wrong = (index: number) => `0000-${String(index).padStart(4, '0')}`;

test('of 1,000 wrong codes that arrive at the same time, 20 are looked up', async () => {
  const { guess, lookUps } = start();
  const results = await Promise.all(Array.from({ length: 1_000 }, (_, index) => guess(wrong(index))));
  expect(results.filter((result) => result === 'checked')).toHaveLength(20);
  expect(lookUps()).toBe(20);
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
    for (let index = 0; index < 20; index += 1) await guess(wrong(index), client);
  }
  used.add('c');
  expect(await guess(RIGHT, 'a')).toBe('checked');
  expect(await guess('aaaaaaaa', 'a')).toBe('checked');
  expect(await guess(RIGHT, 'b')).toBe('Too many wrong codes');
  // This client has claimed with the code, perhaps by another process.
  expect(await guess(RIGHT, 'c')).toBe('checked');
});

test('wrong codes count for a minute', async () => {
  const { guess, advance } = start();
  for (let index = 0; index < 20; index += 1) await guess(wrong(index));
  expect(await guess(wrong(20))).toBe('Too many wrong codes');
  advance(60_000);
  expect(await guess(wrong(20))).toBe('checked');
});
