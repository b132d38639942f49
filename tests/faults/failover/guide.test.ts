import { expect, test } from 'vitest';
import { parseEnvironmentFile, readGuideBlock } from './guide.ts';

test('a block of the guide is found by the beginning of its first line', () => {
  expect(readGuideBlock('/etc/patroni/config.yml')).toMatch(/^scope: badge\n/);
});

test.each(['/etc/patroni/unknown.yml', '/etc/'])(
  'a title that fits no block, or several, is rejected: %s',
  (title) => {
    expect(() => readGuideBlock(title)).toThrow(title);
  },
);

test('each line of an environment file is split at its first =', () => {
  expect(parseEnvironmentFile('A=1\n\nB=c=d\n')).toEqual({ A: '1', B: 'c=d' });
});
