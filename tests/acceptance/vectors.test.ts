import { describe, expect, test } from 'vitest';
import { malformed, notByCreator, testVectors } from './test-vectors.ts';
import { vectors } from './vectors.ts';

describe.each(['sandbox', 'production'])('the vectors of the %s environment', (environment) => {
  const ownVectors = vectors.filter((vector) => vector.environment === environment);

  test('are 20, each with ten signatures to reject', () => {
    expect(ownVectors).toHaveLength(20);
    for (const { mustReject } of ownVectors) {
      expect(Object.keys(mustReject).sort()).toEqual([...notByCreator, ...malformed].sort());
    }
  });
});

// The environments differ only in the domain of the signatures, so one of them stands for both.
testVectors('sandbox');
