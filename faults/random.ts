/** Chances that one seed repeats. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  integer(smallest: number, largest: number): number;
  hasLuck(probability: number): boolean;
  pick<T>(list: readonly T[]): T | undefined;
  /** A stream of its own for one actor, so that the actors do not disturb each other's chances. */
  fork(name: string): Random;
}

/** Makes the chances of a seed: mulberry32. */
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
    integer: (smallest, largest) => smallest + Math.floor(next() * (largest - smallest + 1)),
    hasLuck: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    fork: (name) =>
      createRandom([...name].reduce((hash, c) => Math.imul(hash ^ c.charCodeAt(0), 16777619), seed)),
  };
}
