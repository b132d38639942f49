import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { createManagedCreators } from '../signatures/managed-creators.ts';
import { readDatabaseFacts } from '../storage/inspection.ts';
import { setManagedCreator } from '../testing/managed-token.ts';
import { startTestService } from '../testing/services.ts';
import { inspectManagedCreators } from './inspect-managed-creators.ts';

const PRODUCTION = {
  BADGE_ENVIRONMENT: 'production',
  BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
};
let directory: string;
const seed = randomBytes(32);
const addressOf = createManagedCreators(createSecretKey(seed)).addressOf;
const recorded = ['demo', 'other'].map((communityId) => ({ communityId, address: addressOf(communityId) }));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-doctor-'));
  await writeFile(join(directory, 'seed'), seed, { mode: 0o600 });
  await writeFile(join(directory, 'other-seed'), randomBytes(32), { mode: 0o600 });
});
afterAll(() => rm(directory, { recursive: true }));

const inspect = (env: Record<string, string>, managedCreators = recorded) =>
  inspectManagedCreators({ managedCreators }, readConfig({ BADGE_DATA_DIR: directory, ...env }));

test('doctor finds nothing wrong if the seed gives every recorded address', () => {
  const env = { BADGE_CREATOR_SEED_FILE: join(directory, 'seed') };
  for (const more of [{}, PRODUCTION]) {
    expect(inspect({ ...env, ...more })).toMatchObject({
      level: 'ok',
      found: expect.stringMatching(/^2, all/),
    });
  }
});

test('doctor finds nothing wrong without managed creators, and creates no seed', () => {
  for (const env of [{}, PRODUCTION]) expect(inspect(env, [])).toMatchObject({ level: 'ok' });
  expect(inspect({})).toMatchObject({ level: 'problem' });
});

test('doctor reports another seed, with a community and both addresses, and without the seed', () => {
  const finding = inspect({ BADGE_CREATOR_SEED_FILE: join(directory, 'other-seed') });
  expect(finding.level).toBe('problem');
  expect(finding.found).toMatch(/for 2 of 2 communities, such as demo: 0x/);
  expect(finding.found).toContain(`instead of ${toChecksumAddress(addressOf('demo'))}`);
  const one = recorded.map((creator, index) =>
    index === 0 ? creator : { ...creator, address: addressOf('demo') },
  );
  expect(inspect({ BADGE_CREATOR_SEED_FILE: join(directory, 'seed') }, one).found).toMatch(
    /for 1 of 2 communities, such as other/,
  );
});

test('doctor reports a missing seed, and a wrong file of the sandbox', async () => {
  expect(inspect(PRODUCTION)).toMatchObject({ level: 'problem', found: expect.stringContaining('no seed') });
  await writeFile(join(directory, 'creator-seed'), seed, { mode: 0o644 });
  expect(inspect({})).toMatchObject({
    level: 'problem',
    found: expect.stringContaining('other users can read'),
  });
  await rm(join(directory, 'creator-seed'));
});

test('a worker signs nothing, so it needs no seed', () => {
  expect(inspect({ BADGE_ROLE: 'worker' })).toMatchObject({ level: 'ok' });
});

test('the facts have the recorded addresses', async () => {
  const service = await startTestService();
  await setManagedCreator(service, 'demo', true);
  const facts = await readDatabaseFacts({ connectionString: service.databaseUrl });
  const address = service.context.managedCreators?.addressOf('demo');
  expect(facts.managedCreators).toEqual([{ communityId: 'demo', address }]);
  await service.stop();
});
