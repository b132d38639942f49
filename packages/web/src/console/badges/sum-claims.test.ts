import { expect, test } from 'vitest';
import { sumClaims } from './sum-claims.ts';

test('sumClaims rises from the first claim to all claims', () => {
  const points = sumClaims([1_000, 1_300, 1_600, 1_600]);
  expect(points).toHaveLength(61);
  expect(points[0]).toEqual({ x: 0, y: 0.25 });
  expect(points[29]).toMatchObject({ y: 0.25 });
  expect(points[30]).toEqual({ x: 0.5, y: 0.5 });
  expect(points[60]).toEqual({ x: 1, y: 1 });
});

test('sumClaims counts claims at the same moment at once', () => {
  expect(new Set(sumClaims([5, 5, 5]).map(({ y }) => y))).toEqual(new Set([1]));
});
