import { expect, test } from 'vitest';
import { FAILURES } from './failures.ts';
import { parseOptions } from './options.ts';

test('by default, every failure happens twice in the mode sync and once in the mode async', () => {
  expect(parseOptions(['--seed', '7'])).toEqual({
    seed: 7,
    failures: FAILURES,
    modes: [
      { mode: 'sync', roundCount: 2 * FAILURES.length },
      { mode: 'async', roundCount: FAILURES.length },
    ],
  });
});

test('--failure, --mode and --rounds restrict the run', () => {
  const options = parseOptions(['--failure', 'frozen', '--mode', 'async', '--rounds', '3']);
  expect(options).toMatchObject({
    failures: [{ name: 'Patroni frozen' }],
    modes: [{ mode: 'async', roundCount: 3 }],
  });
});

test.each([
  ['--seed', 'x'],
  ['--rounds', '0'],
  ['--mode', 'both of them'],
  ['--failure', 'earthquake'],
])('rejects %s %s', (...args) => {
  expect(() => parseOptions(args)).toThrow(args[0]);
});
