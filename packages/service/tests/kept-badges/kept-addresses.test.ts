import { createSecretKey, randomBytes } from 'node:crypto';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { prepareKeptAddress, requireKeptAddresses } from '../../src/domain/kept-addresses.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { Address } from '../../src/signatures/address.ts';
import { createKeptAddresses } from '../../src/signatures/kept-addresses.ts';
import { listKeptAddressesOf, recordKeptAddresses } from '../../src/storage/kept-addresses.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
let context: Context;

beforeAll(async () => {
  service = await startTestService();
  context = service.context;
  const json = { uniqId: 'other', displayId: 'other', name: 'Other' };
  await service.call('/v1/communities', { key: service.adminKey, json });
});
afterAll(async () => await service.stop());

const prepare = (communityId: string, emailHash: Buffer, parts: Partial<Context> = {}) =>
  prepareKeptAddress({ ...context, ...parts }, context.database, { communityId, emailHash });
const otherSeed = () => createKeptAddresses(createSecretKey(randomBytes(32)));

/** Returns the detail of the refusal. */
async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal && error.errorName === 'KeptBadgesUnavailable') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('a sandbox keeps badges at one address for each e-mail and community, which is recorded once', async () => {
  const [ada, ben] = [randomBytes(32), randomBytes(32)];
  const address = await prepare('other', ada);
  expect(context.keptAddresses?.addressOf({ communityId: 'other', emailHash: ada })).toEqual(address);
  expect(await prepare('other', ada)).toEqual(address);
  const demo = await prepare('demo', ada);
  const ofBen = await prepare('demo', ben);
  expect(await listKeptAddressesOf(context.database, ada)).toEqual([
    { communityId: 'demo', address: demo },
    { communityId: 'other', address },
  ]);
  expect(await listKeptAddressesOf(context.database, ben)).toEqual([{ communityId: 'demo', address: ofBen }]);
  expect(await listKeptAddressesOf(context.database, randomBytes(32))).toEqual([]);
});

test('an address that somebody else has just recorded is returned', async () => {
  const emailHash = randomBytes(32);
  let second: Promise<Address> | undefined;
  const first = await context.transaction(async (tx) => {
    const address = await prepareKeptAddress(context, tx, { communityId: 'demo', emailHash });
    second = prepare('demo', emailHash);
    await waitForBlockedStatements(service.databaseUrl, 1);
    return address;
  });
  expect(await second).toEqual(first);
});

test('another seed than when the address was recorded keeps nothing for the e-mail, and the first one still does', async () => {
  const emailHash = randomBytes(32);
  const address = await prepare('demo', emailHash);
  const withOtherSeed = { keptAddresses: otherSeed() };
  expect(await refusalOf(() => prepare('demo', emailHash, withOtherSeed))).toContain('another seed');
  expect(await listKeptAddressesOf(context.database, emailHash)).toEqual([{ communityId: 'demo', address }]);
  expect(await prepare('demo', emailHash)).toEqual(address);
});

test('an address of one e-mail is never recorded for another', async () => {
  const [ada, ben] = [randomBytes(32), randomBytes(32)];
  const address = await prepare('demo', ada);
  await expect(
    recordKeptAddresses(context.database, [{ address, communityId: 'demo', emailHash: ben }]),
  ).rejects.toThrow('kept for another e-mail');
});

test('without a seed or an encryption key, the service keeps no badges', async () => {
  expect(requireKeptAddresses(context)).toEqual({
    keptAddresses: context.keptAddresses,
    encryption: context.encryption,
  });
  for (const [missing, variable] of [
    [{ keptAddresses: null }, 'BADGE_HOLDER_SEED_FILE'],
    [{ encryption: null }, 'BADGE_ENCRYPTION_KEY_FILE'],
  ] as const) {
    const parts = { ...context, ...missing };
    expect(await refusalOf(() => requireKeptAddresses(parts))).toContain(variable);
    expect(await refusalOf(() => prepare('demo', randomBytes(32), missing))).toContain(variable);
  }
});
