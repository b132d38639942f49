import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ConfigError, readConfig } from './config.ts';
import { inspectConfiguration } from './doctor/inspect-configuration.ts';

const VALUE = 'a value that is a secret';
const unknownIn = (env: Record<string, string>) => readConfig(env).unknownVariables;

const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
const rows =
  page.slice(page.indexOf('## Variables'), page.indexOf("## The database's URL")).match(/^\| `[^|]+/gm) ?? [];
const DOCUMENTED = rows.flatMap((row) => [...row.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));

test('every documented variable is known', () => {
  expect(DOCUMENTED.length).toBeGreaterThan(25);
  for (const name of DOCUMENTED) {
    let unknown: string[];
    try {
      unknown = unknownIn({ [name]: 'x' }).map((each) => each.name);
    } catch (error) {
      // Its value is wrong, so it is read.
      unknown = (error as ConfigError).errors.filter((text) => text.includes('is not a variable'));
    }
    expect(unknown, name).toEqual([]);
  }
});

test('a misspelt variable is found with the name that was meant', () => {
  const names = DOCUMENTED.filter((name) => name.length > 9);
  const misspell = fc
    .tuple(fc.constantFrom(...names), fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'lower'))
    .map(([name, position, typo]) => {
      const at = 6 + (position % (name.length - 7));
      if (typo === 'drop') return [name, name.slice(0, at) + name.slice(at + 1)] as const;
      if (typo === 'double') return [name, name.slice(0, at) + name.charAt(at) + name.slice(at)] as const;
      if (typo === 'lower') return [name, name.toLowerCase()] as const;
      return [name, name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2)] as const;
    })
    .filter(([, misspelt]) => !DOCUMENTED.includes(misspelt));
  fc.assert(
    fc.property(misspell, ([meant, misspelt]) => {
      expect(unknownIn({ [misspelt]: VALUE })).toEqual([{ name: misspelt, nearest: meant }]);
    }),
  );
});

test.each([
  ['BADGE_RATE_LIMITS', 'BADGE_RATE_LIMIT'],
  ['BADGE_ENVIROMENT', 'BADGE_ENVIRONMENT'],
  ['BADGE_SOMETHING_ELSE_ENTIRELY', null],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['PUBLIC_ULR', 'PUBLIC_URL'],
])('%s is unknown, and %s is near', (name, nearest) => {
  expect(unknownIn({ [name]: VALUE })).toEqual([{ name, nearest }]);
});

test.each([
  'BADGE_HOST',
  'BADGE_IMAGE',
  'BADGE_SERVICE_HOST',
  'BADGE_PORT_3000_TCP_ADDR',
  'BADGE_API_SERVICE_PORT',
  'PATH',
  'HOME',
])('%s belongs to others', (name) => {
  expect(unknownIn({ [name]: VALUE })).toEqual([]);
});

test('an empty one is ignored', () => {
  expect(unknownIn({ BADGE_RATE_LIMITS: '' })).toEqual([]);
});

test('doctor and the errors of a start name it, without its value', () => {
  const findings = inspectConfiguration(readConfig({ BADGE_RATE_LIMITS: VALUE }));
  expect(findings).toMatchObject([{ level: 'warning', check: 'BADGE_RATE_LIMITS' }]);
  expect(findings[0]?.advice).toContain('BADGE_RATE_LIMIT,');
  expect(JSON.stringify(findings)).not.toContain(VALUE);
  const start = () => readConfig({ BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTACT: VALUE });
  expect(start).toThrow(
    'BADGE_VERIFYING_CONTRACT must be set in production; BADGE_VERIFYING_CONTACT is not a variable of the service, and has no effect: did you mean BADGE_VERIFYING_CONTRACT?',
  );
  expect(start).not.toThrow(VALUE);
});
