/** Random numbers that repeat with the same seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** Both ends included. */
  integer(min: number, max: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** Undefined if the list is empty. */
  pick<T>(list: readonly T[]): T | undefined;
  /** A separate stream, so that concurrent users do not change each other's numbers. */
  fork(name: string): Random;
}

/** Creates a generator from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    // The hash of the name is FNV-1a, with `seed` as its first value.
    fork: (name) =>
      createRandom(
        [...name].reduce((hash, character) => Math.imul(hash ^ character.charCodeAt(0), 16777619), seed),
      ),
  };
}
