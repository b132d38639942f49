import type { CommunityWithAdmins, CreateCommunityBody, UpdateCommunityBody } from '@badge/protocol';
import { newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// `Required` makes the compiler ask for each new field, and the response shows whether the field reached the
// database and back.
const CREATED: Required<CreateCommunityBody> = {
  uniqId: 'with-every-field',
  displayId: 'shown',
  name: 'A name',
  description: 'A description',
  logoUrl: 'https://example.org/logo.png',
  adminAddresses: [newWallet().address],
};
// `hasManagedCreator` is not in the response: signatures/managed-creators.test.ts tests it.
const CHANGED: Required<Omit<UpdateCommunityBody, 'hasManagedCreator'>> = {
  uniqId: 'with-every-field',
  displayId: 'changed',
  name: 'Another name',
  description: 'Another description',
  logoUrl: 'https://example.org/other.png',
  adminAddresses: [newWallet().address, newWallet().address],
  contractWalletChainId: 8453,
  reminders: { unclaimedAfterDays: [7, 3], beforeExpiryDays: [30] },
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('every field of a community is kept: when it is created, when it is changed, and in each response', async () => {
  const key = service.adminKey;
  const send = async (path: string, init: Parameters<TestService['call']>[1]) => {
    const response = await service.call(path, { key, ...init });
    expect(response.ok).toBe(true);
    return (await response.json()) as CommunityWithAdmins;
  };
  expect(await send('/v1/communities', { json: CREATED })).toMatchObject(CREATED);
  const path = `/v1/communities/${CREATED.uniqId}`;
  const { adminAddresses: admins, ...created } = CREATED;
  expect(await send(path, {})).toMatchObject(created);
  expect(
    await send(path, {
      method: 'PATCH',
      body: JSON.stringify(CHANGED),
      headers: { 'Content-Type': 'application/json' },
    }),
  ).toMatchObject(CHANGED);
  const { adminAddresses, contractWalletChainId, reminders, ...changed } = CHANGED;
  expect(await send(path, {})).toMatchObject(changed);
  expect(await send(`${path}/configuration`, {})).toMatchObject({
    adminAddresses,
    contractWalletChainId,
    reminders,
  });
  expect(admins).not.toEqual(adminAddresses);
});
