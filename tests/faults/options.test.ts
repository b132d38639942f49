import { describe, expect, test } from 'vitest';
import { MUTANTS } from './mutants/mutants.ts';
import { parseOptions } from './options.ts';

function parse(...args: string[]) {
  const options = parseOptions(args);
  if (typeof options === 'string') throw new Error('these options print a text');
  return options;
}

const mutantNames = (...args: string[]) => parse(...args).mutants.map(({ name }) => name);

describe('--mutants', () => {
  test('selects all mutants by default, but none if only --fault is given', () => {
    expect(parse().mutants).toEqual(MUTANTS);
    expect(parse('--fault', 'clock').mutants).toEqual([]);
    expect(parse('--fault', 'clock', '--mutants', 'all').mutants).toEqual(MUTANTS);
  });

  test('draws the given number of mutants, and the same ones for the same seed', () => {
    const drawn = mutantNames('--mutants', '6', '--seed', '7');
    expect(new Set(drawn).size).toBe(6);
    expect(mutantNames('--mutants', '6', '--seed', '7')).toEqual(drawn);
  });

  test('draws every mutant with at least one of 50 seeds', () => {
    const drawn = Array.from({ length: 50 }, (_, seed) => mutantNames('--mutants', '6', '--seed', `${seed}`));
    expect(new Set(drawn.flat()).size).toBe(MUTANTS.filter(({ breaks }) => breaks !== 'I13').length);
  });

  test('selects mutants by a part of their name', () => {
    expect(mutantNames('--mutants', 'unguarded')).toEqual(['unguarded count']);
  });

  test('selects no mutant with none', () => {
    expect(mutantNames('--mutants', 'none')).toEqual([]);
  });
});

test.each([
  ['--minutes', '0'],
  ['--minutes', 'x'],
  ['--seed', '1.5'],
  ['--scenario', 'unknown'],
  ['--fault', 'unknown'],
  ['--mutants', 'unknown'],
  ['--unknown', '1'],
])('rejects %s %s', (name, value) => {
  expect(() => parseOptions([name, value])).toThrow(name);
});

test('--list and --help return a text', () => {
  expect(parseOptions(['--list'])).toContain('kill -9 of PostgreSQL');
  expect(parseOptions(['--help'])).toContain('--minutes');
});
