import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { makeKey } from '../domain/api-keys/rules.ts';
import { inspectKeys } from './inspect-keys.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'badge-keys-'));
});
afterAll(() => rm(parent, { recursive: true }));

async function inspect(env: Record<string, string>, files: Record<string, string> = {}, mode = 0o600) {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dataDir, name), text);
    await chmod(join(dataDir, name), mode);
  }
  const findings = await inspectKeys(readConfig({ BADGE_DATA_DIR: dataDir, ...env }));
  // No finding contains a key. A shorter value, such as a role, is no key.
  for (const value of [...Object.values(env), ...Object.values(files)]) {
    if (value.length >= 16) expect(JSON.stringify(findings)).not.toContain(value.trim());
  }
  return Object.fromEntries(findings.map(({ check, level }) => [check, level]));
}

const mistype = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const ALL_OK = { BADGE_ADMIN_KEY: 'ok', BADGE_DEMO_API_KEY: 'ok' };

test('inspectKeys reports keys as ok if they do not exist yet, are in files, or are in environment variables', async () => {
  expect(await inspect({})).toEqual(ALL_OK);
  const files = { 'admin-key': `${makeKey('admin')}\n`, 'demo-api-key': `${makeKey('sandbox')}\n` };
  expect(await inspect({}, files)).toEqual(ALL_OK);
  expect(
    await inspect({ BADGE_ADMIN_KEY: makeKey('admin'), BADGE_DEMO_API_KEY: makeKey('sandbox') }),
  ).toEqual(ALL_OK);
  expect(await inspect({ BADGE_ADMIN_KEY: 'kZ8vQ2xM4rT6yB1nC9wE5uJ7' })).toEqual(ALL_OK);
});

test('inspectKeys reports that a worker needs no keys', async () => {
  expect(await inspect({ BADGE_ROLE: 'worker' })).toEqual({ keys: 'ok' });
});

test.each<[string, string]>([
  ['change-me-change-me', 'problem'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'problem'],
  ['my-very-secret-key-9274', 'problem'],
  ['kZ8vQ2xM4rT6yB1n', 'warning'],
  [mistype(makeKey('admin')), 'warning'],
  [makeKey('sandbox'), 'warning'],
])('inspectKeys reports the admin key %s as a %s', async (key, level) => {
  expect(await inspect({ BADGE_ADMIN_KEY: key })).toEqual({ ...ALL_OK, BADGE_ADMIN_KEY: level });
  expect(await inspect({}, { 'admin-key': key })).toEqual({ ...ALL_OK, BADGE_ADMIN_KEY: level });
});

test.each([mistype(makeKey('sandbox')), makeKey('production')])(
  'inspectKeys reports the demo key %s as a problem',
  async (key) => {
    expect(await inspect({ BADGE_DEMO_API_KEY: key })).toEqual({ ...ALL_OK, BADGE_DEMO_API_KEY: 'problem' });
  },
);

test.each(['0604', '0640', '0660'])(
  'inspectKeys reports a key file of mode %s as a problem',
  async (mode) => {
    const files = { 'admin-key': makeKey('admin') };
    expect(await inspect({}, files, Number.parseInt(mode, 8))).toMatchObject({ BADGE_ADMIN_KEY: 'problem' });
  },
);

test('inspectKeys reports an empty key file as a problem', async () => {
  expect(await inspect({}, { 'admin-key': '\n' })).toMatchObject({ BADGE_ADMIN_KEY: 'problem' });
});

test('inspectKeys warns if each process that shares a database would create its own admin key', async () => {
  const env = { DATABASE_URL: 'postgres://localhost/badge' };
  expect(await inspect(env)).toMatchObject({ BADGE_ADMIN_KEY: 'warning' });
  expect(await inspect({ ...env, BADGE_ADMIN_KEY: makeKey('admin') })).toEqual(ALL_OK);
});
