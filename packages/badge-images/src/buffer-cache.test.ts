import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBufferCache } from './buffer-cache.ts';

it('evicts the least recently used buffer', () => {
  const cache = createBufferCache(30);
  for (const key of ['a', 'b', 'c']) cache.set(key, Buffer.alloc(10));
  cache.get('a');
  cache.set('d', Buffer.alloc(10));
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
});

it('does not keep a buffer larger than the whole cache, and evicts nothing for it', () => {
  const cache = createBufferCache(30);
  cache.set('a', Buffer.alloc(10));
  cache.set('b', Buffer.alloc(31));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toBeDefined();
  expect(cache.bytes).toBe(10);
});

it('never exceeds its limit, and reports the size of its buffers in `bytes`', () => {
  const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat({ max: 60 })));
  fc.assert(
    fc.property(entries, (added) => {
      const cache = createBufferCache(100);
      for (const [key, bytes] of added) {
        cache.set(key, Buffer.alloc(bytes));
        expect(cache.bytes).toBeLessThanOrEqual(100);
      }
      const kept = ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)?.length ?? 0);
      expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBe(cache.bytes);
    }),
  );
});
