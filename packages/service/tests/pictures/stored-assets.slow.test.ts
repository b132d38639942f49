import { WAIT_OPTIONS, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { nftTypeForm, TINY_GIF } from '../../src/testing/nft-type-provocations.ts';
import type { TestService } from '../../src/testing/services.ts';
import {
  addNftType,
  countAssets,
  deleteNftType,
  expectPicture,
  openTransaction,
  QUOTA_OF_THREE,
  requestAcceptedToken,
  requestToken,
  start,
  startApi,
  startWorker,
  upload,
  waitUntilFinal,
} from '../../src/testing/stored-assets.ts';

const expectAssets = (service: TestService, assets: number) =>
  vi.waitFor(async () => expect(await countAssets(service)).toBe(assets), WAIT_OPTIONS);

test('an upload is refused if the files removed in the last ten minutes together have the size of the quota', async () => {
  const service = await start({ BADGE_STORAGE_QUOTA: String(2 * TINY_GIF.length) });
  for (let index = 0; index < 2; index += 1) await deleteNftType(service, await addNftType(service));
  const body = nftTypeForm();
  const path = '/v1/communities/demo/nftTypes';
  const refused = await service.call(path, { method: 'POST', key: service.apiKey, body });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(await refused.json()).toMatchObject({ name: 'RateLimited' });
  await query(service.databaseUrl, `update nft_types set removed_at = removed_at - interval '10 minutes'`);
  await addNftType(service);
});

test('NFT types that are uploaded and deleted repeatedly leave no files', async () => {
  const service = await start();
  for (let index = 0; index < 10; index += 1) {
    const { nftTypeId, status, json } = await upload(service);
    expect(status).toBe(201);
    const path = new URL(String(json.assetUrl)).pathname;
    expect((await service.call(path)).status).toBe(200);
    expect(await deleteNftType(service, nftTypeId)).toBe(204);
    expect((await service.call(path)).status).toBe(404);
    expect(await upload(service, nftTypeId)).toMatchObject({ status: 409, json: { name: 'NftTypeExists' } });
    expect((await requestToken(service, nftTypeId)).status).toBe(404);
    expect(await deleteNftType(service, nftTypeId)).toBe(404);
  }
  expect(await countAssets(service)).toBe(0);
});

test('a token keeps the file of its deleted NFT type, and the file still counts towards the quota', async () => {
  const service = await start(QUOTA_OF_THREE);
  const nftTypeId = await addNftType(service);
  const { resourceId } = await waitUntilFinal(service, await requestAcceptedToken(service, nftTypeId));
  expect(await deleteNftType(service, nftTypeId)).toBe(204);
  await expectPicture(service, resourceId);
  await addNftType(service);
  await addNftType(service);
  expect((await upload(service)).json.name).toBe('StorageQuotaReached');
});

/** Changes the request of a pending operation so that the operation ends in error. */
async function makeFail({ databaseUrl }: TestService, location: string): Promise<void> {
  const operationId = location.split('/').at(-1);
  await query(
    databaseUrl,
    `update operations set request = request || '{"creator": "no hex"}' where operation_id = $1`,
    [operationId],
  );
}

test('the file of a deleted NFT type is removed when its last pending operation has ended in error', async () => {
  const service = await startApi();
  const nftTypeId = await addNftType(service);
  const locations = [
    await requestAcceptedToken(service, nftTypeId),
    await requestAcceptedToken(service, nftTypeId),
  ];
  const keptTypeId = await addNftType(service);
  const keptLocation = await requestAcceptedToken(service, keptTypeId);
  for (const id of [nftTypeId, keptTypeId]) expect(await deleteNftType(service, id)).toBe(204);
  expect(await countAssets(service)).toBe(2);
  for (const location of locations) await makeFail(service, location);
  await startWorker(service);
  for (const location of locations) {
    expect(await waitUntilFinal(service, location)).toMatchObject({ status: 'error' });
  }
  await expectAssets(service, 1);
  await expectPicture(service, (await waitUntilFinal(service, keptLocation)).resourceId);
});

test('a worker removes the unused files of deleted NFT types', async () => {
  const service = await startApi();
  // No operation uses the first file.
  await addNftType(service);
  const used = await addNftType(service);
  const location = await requestAcceptedToken(service, used);
  await query(service.databaseUrl, 'update nft_types set deleted_at = now()');
  expect(await countAssets(service)).toBe(2);
  await startWorker(service);
  await expectAssets(service, 1);
  await expectPicture(service, (await waitUntilFinal(service, location)).resourceId);
});

test('the deletion of an NFT type waits for an operation that is accepted with this type, and keeps the file', async () => {
  const service = await startApi();
  const nftTypeId = await addNftType(service);
  // A transaction that holds the idempotency key stops the request after it has locked the NFT type.
  const headers = { 'Idempotency-Key': 'held' };
  expect((await requestToken(service, 'defaultOrangeRed', headers)).status).toBe(202);
  await query(service.databaseUrl, 'create table held_keys as table idempotency_keys');
  await query(service.databaseUrl, 'delete from idempotency_keys');
  const transaction = await openTransaction(service);
  await transaction.query('insert into idempotency_keys table held_keys');
  const tokenRequest = requestToken(service, nftTypeId, headers);
  await waitForBlockedStatements(service.databaseUrl, 1);
  const removal = deleteNftType(service, nftTypeId);
  await waitForBlockedStatements(service.databaseUrl, 2);
  await transaction.query('rollback');
  expect((await tokenRequest).status).toBe(202);
  expect(await removal).toBe(204);
  expect(await countAssets(service)).toBe(1);
});

test('if tokens are created while their NFT types are deleted, every accepted token has its picture, and no other file remains', async () => {
  const service = await start();
  const nftTypeIds = await Promise.all(Array.from({ length: 12 }, () => addNftType(service)));
  let usedFileCount = 0;
  for (const [index, nftTypeId] of nftTypeIds.entries()) {
    const bodies = await Promise.all(Array.from({ length: 4 }, () => signedToken({ nftTypeId })));
    const post = (json: object) => service.call('/v1/tokens', { key: service.apiKey, json });
    const [first, second, removal, ...rest] = await Promise.all([
      post(bodies[0] ?? {}),
      post(bodies[1] ?? {}),
      deleteNftType(service, nftTypeId),
      post(bodies[2] ?? {}),
      post(bodies[3] ?? {}),
    ]);
    expect(removal).toBe(204);
    const accepted: Response[] = [];
    for (const response of [first, second, ...rest]) {
      expect([202, 404]).toContain(response.status);
      if (response.status === 202) accepted.push(response);
    }
    for (const response of accepted) {
      const { resourceId } = await waitUntilFinal(service, response.headers.get('location') ?? '');
      await expectPicture(service, resourceId);
    }
    if (accepted.length > 0) usedFileCount += 1;
    const notDeletedCount = nftTypeIds.length - (index + 1);
    expect(await countAssets(service)).toBe(usedFileCount + notDeletedCount);
  }
});
