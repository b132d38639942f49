import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { prepareKeptAddress } from '../domain/kept-addresses.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { createKeptAddresses } from '../signatures/kept-addresses.ts';
import { readDatabaseFacts } from '../storage/inspection.ts';
import { type KeptAddress, readKeptAddressesToCheck } from '../storage/kept-addresses.ts';
import { startTestService } from '../testing/services.ts';
import { inspectKeptBadges } from './inspect-kept-badges.ts';

const PRODUCTION = {
  BADGE_ENVIRONMENT: 'production',
  BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
};
let directory: string;
const seed = randomBytes(32);
const { addressOf } = createKeptAddresses(createSecretKey(seed));
const [first, second] = ['demo', 'other'].map((communityId) => {
  const id = { communityId, emailHash: randomBytes(32) };
  return { ...id, address: addressOf(id) };
}) as [KeptAddress, KeptAddress];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-doctor-'));
  await writeFile(join(directory, 'seed'), seed, { mode: 0o600 });
  await writeFile(join(directory, 'other-seed'), randomBytes(32), { mode: 0o600 });
});
afterAll(() => rm(directory, { recursive: true }));

/** With 3,000 recorded addresses, of which those of `checked` are checked. */
const inspect = (env: Record<string, string>, checked = [first, second], count = 3_000) =>
  inspectKeptBadges({ keptAddresses: { count, checked } }, readConfig({ BADGE_DATA_DIR: directory, ...env }));
const withSeed = (name: string) => ({ BADGE_HOLDER_SEED_FILE: join(directory, name) });

test('doctor finds nothing wrong if the seed gives every address', () => {
  for (const more of [{}, PRODUCTION]) {
    expect(inspect({ ...withSeed('seed'), ...more })).toMatchObject({
      level: 'ok',
      found: '3000 addresses; the seed gives all 2 that were checked',
    });
  }
});

test('doctor finds nothing wrong without addresses, and creates no seed', () => {
  for (const env of [{}, PRODUCTION]) expect(inspect(env, [], 0)).toMatchObject({ level: 'ok' });
  expect(inspect({})).toMatchObject({ level: 'problem' });
});

test('doctor reports another seed, with a community and both addresses', () => {
  const { level, found } = inspect(withSeed('other-seed'));
  expect(level).toBe('problem');
  expect(found).toMatch(/for 2 of 2 that were checked, such as one of demo: 0x/);
  expect(found).toContain(`instead of ${toChecksumAddress(first.address)}`);
  const wrong = { ...second, address: first.address };
  expect(inspect(withSeed('seed'), [first, wrong]).found).toMatch(/for 1 of 2 .* such as one of other: /);
});

test('doctor reports a missing seed, and a wrong file of the sandbox', async () => {
  expect(inspect(PRODUCTION)).toMatchObject({
    level: 'problem',
    found: expect.stringMatching(/^3000 .*no seed/),
  });
  await writeFile(join(directory, 'holder-seed'), seed, { mode: 0o644 });
  expect(inspect({})).toMatchObject({
    level: 'problem',
    found: expect.stringContaining('other users can read'),
  });
  await rm(join(directory, 'holder-seed'));
});

test('a worker needs no seed', () => {
  expect(inspect({ BADGE_ROLE: 'worker' })).toMatchObject({ level: 'ok' });
});

test('the facts have all recorded addresses if they are few, and otherwise the oldest and the newest', async () => {
  const { context, databaseUrl, stop } = await startTestService();
  const ids = Array.from({ length: 7 }, () => ({ communityId: 'demo', emailHash: randomBytes(32) }));
  const recorded: KeptAddress[] = [];
  for (const [day, id] of ids.entries()) {
    const address = await prepareKeptAddress(context, context.database, id);
    const age = "update kept_addresses set created_at = now() - $1 * interval '1 day' where address = $2";
    await query(databaseUrl, age, [day, address]);
    recorded.push({ ...id, address });
  }
  const { count, checked } = (await readDatabaseFacts({ connectionString: databaseUrl })).keptAddresses;
  expect(count).toBe(7);
  const inOrder = (list: KeptAddress[]) => list.sort((a, b) => Buffer.compare(a.address, b.address));
  expect(inOrder(checked)).toEqual(inOrder([...recorded]));
  const ends = await readKeptAddressesToCheck(context.database, 2);
  expect(ends.count).toBe(7);
  expect(inOrder(ends.checked)).toEqual(inOrder([...recorded.slice(0, 2), ...recorded.slice(-2)]));
  await stop();
});
