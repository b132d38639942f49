import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { makeKey } from '../domain/api-keys/rules.ts';
import { checkKeys } from './check-keys.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'badge-keys-'));
});
afterAll(() => rm(parent, { recursive: true }));

async function check(env: Record<string, string>, files: Record<string, string> = {}, mode = 0o600) {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dataDir, name), text);
    await chmod(join(dataDir, name), mode);
  }
  const findings = await checkKeys(readConfig({ BADGE_DATA_DIR: dataDir, ...env }));
  for (const secret of [...Object.values(env), ...Object.values(files)]) {
    if (secret.length >= 16) expect(JSON.stringify(findings)).not.toContain(secret.trim());
  }
  return Object.fromEntries(findings.map(({ check, level }) => [check, level]));
}

const flip = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const WELL = { BADGE_ADMIN_KEY: 'ok', BADGE_DEMO_API_KEY: 'ok' };

test('keys to be made, made, and given are well', async () => {
  expect(await check({})).toEqual(WELL);
  const files = { 'admin-key': `${makeKey('admin')}\n`, 'demo-api-key': `${makeKey('sandbox')}\n` };
  expect(await check({}, files)).toEqual(WELL);
  expect(await check({ BADGE_ADMIN_KEY: makeKey('admin'), BADGE_DEMO_API_KEY: makeKey('sandbox') })).toEqual(
    WELL,
  );
  expect(await check({ BADGE_ADMIN_KEY: 'kZ8vQ2xM4rT6yB1nC9wE5uJ7' })).toEqual(WELL);
  expect(await check({ BADGE_ROLE: 'worker' })).toEqual({ keys: 'ok' });
});

test.each<[string, string]>([
  ['change-me-change-me', 'problem'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'problem'],
  ['my-very-secret-key-9274', 'problem'],
  ['kZ8vQ2xM4rT6yB1n', 'warning'],
  [flip(makeKey('admin')), 'warning'],
  [makeKey('sandbox'), 'warning'],
])('the operator’s key %s is a %s', async (key, level) => {
  expect(await check({ BADGE_ADMIN_KEY: key })).toEqual({ ...WELL, BADGE_ADMIN_KEY: level });
  expect(await check({}, { 'admin-key': key })).toEqual({ ...WELL, BADGE_ADMIN_KEY: level });
});

test.each([flip(makeKey('sandbox')), makeKey('production')])('the demo key %s is refused', async (key) => {
  expect(await check({ BADGE_DEMO_API_KEY: key })).toEqual({ ...WELL, BADGE_DEMO_API_KEY: 'problem' });
});

test.each([0o604, 0o640, 0o660])('a key file of mode %o is a problem', async (mode) => {
  expect(await check({}, { 'admin-key': makeKey('admin') }, mode)).toMatchObject({
    BADGE_ADMIN_KEY: 'problem',
  });
});

test('an empty key file is a problem', async () => {
  expect(await check({}, { 'admin-key': '\n' })).toMatchObject({ BADGE_ADMIN_KEY: 'problem' });
});

test('a key of its own for each process of a shared database is a warning', async () => {
  const env = { DATABASE_URL: 'postgres://localhost/badge' };
  expect(await check(env)).toMatchObject({ BADGE_ADMIN_KEY: 'warning' });
  expect(await check({ ...env, BADGE_ADMIN_KEY: makeKey('admin') })).toEqual(WELL);
});
