import { expect, test } from 'vitest';
import { createTimeoutCounts } from './timeout-counts.ts';

test('a timeout counts only if the worker has settled operations since the last timeout of this operation', () => {
  const counts = createTimeoutCounts();
  expect(counts.has('a')).toBe(false);
  expect(counts.add('a', 0)).toBe(1);
  expect(counts.add('a', 0)).toBe(1);
  expect(counts.add('b', 3)).toBe(1);
  expect(counts.add('a', 3)).toBe(2);
  expect(counts.has('a')).toBe(true);
});

test('deleteExcept deletes the counts of all other operations', () => {
  const counts = createTimeoutCounts();
  for (const operationId of ['a', 'b', 'c']) counts.add(operationId, 0);
  counts.deleteExcept(['b', 'd']);
  expect(['a', 'b', 'c', 'd'].map(counts.has)).toEqual([false, true, false, false]);
  expect(counts.add('a', 1)).toBe(1);
  expect(counts.add('b', 1)).toBe(2);
});
