import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

it('lets the one go that nobody has asked for longest', () => {
  const cache = new BoundedCache(30);
  for (const key of ['a', 'b', 'c']) cache.set(key, Buffer.alloc(10));
  cache.get('a');
  cache.set('d', Buffer.alloc(10));
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
});

it('keeps nothing that is larger than the whole of it', () => {
  const cache = new BoundedCache(30);
  cache.set('a', Buffer.alloc(31));
  expect(cache.get('a')).toBeUndefined();
  expect(cache.bytes).toBe(0);
});

it('never keeps more bytes than it may, and counts the ones it keeps', () => {
  const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat({ max: 60 })));
  fc.assert(
    fc.property(entries, (added) => {
      const cache = new BoundedCache(100);
      for (const [key, bytes] of added) {
        cache.set(key, Buffer.alloc(bytes));
        expect(cache.bytes).toBeLessThanOrEqual(100);
      }
      const kept = ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)?.length ?? 0);
      expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBe(cache.bytes);
    }),
  );
});
