import { connect } from 'node:net';
import type { CommunityConfiguration } from '@badge/protocol';
import { WAIT_OPTIONS, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nftTypeForm, TINY_GIF } from '../../src/testing/nft-type-provocations.ts';
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

test('the files of a community cannot exceed the quota, which the configuration of the community contains', async () => {
  const service = await start(QUOTA_OF_THREE);
  const path = '/v1/communities/demo/configuration';
  const configuration = await (await service.call(path, { key: service.apiKey })).json();
  expect((configuration as CommunityConfiguration).limits.storageBytes).toBe(3 * TINY_GIF.length + 1);

  const added = [await addNftType(service), await addNftType(service), await addNftType(service)];
  expect(await upload(service)).toMatchObject({ status: 409, json: { name: 'StorageQuotaReached' } });
  expect(await deleteNftType(service, added[0] ?? '')).toBe(204);
  await addNftType(service);
  expect(await upload(service)).toMatchObject({ status: 409, json: { name: 'StorageQuotaReached' } });
});

test('concurrent uploads together do not exceed the quota', async () => {
  const service = await start(QUOTA_OF_THREE);
  const uploads = await Promise.all(Array.from({ length: 10 }, () => upload(service)));
  expect(uploads.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(uploads.filter(({ json }) => json.name === 'StorageQuotaReached')).toHaveLength(7);
  expect(await countAssets(service)).toBe(3);
});

test('a pending operation keeps the file of its deleted NFT type, and its token shows the file', async () => {
  const service = await startApi();
  const nftTypeId = await addNftType(service);
  const location = await requestAcceptedToken(service, nftTypeId);
  expect(await deleteNftType(service, nftTypeId)).toBe(204);
  expect(await countAssets(service)).toBe(1);
  await startWorker(service);
  await expectPicture(service, (await waitUntilFinal(service, location)).resourceId);
  expect(await countAssets(service)).toBe(1);
});

test('a request to create a token waits for the deletion of its NFT type, and is then refused', async () => {
  const service = await startApi();
  const nftTypeId = await addNftType(service);
  const transaction = await openTransaction(service);
  await transaction.query('select from nft_types where nft_type_id = $1 for update', [nftTypeId]);
  const tokenRequest = requestToken(service, nftTypeId);
  await waitForBlockedStatements(service.databaseUrl, 1);
  await transaction.query('update nft_types set deleted_at = now() where nft_type_id = $1', [nftTypeId]);
  await transaction.query('commit');
  const response = await tokenRequest;
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ name: 'NftTypeNotFound' });
  expect(await query(service.databaseUrl, 'select from operations')).toEqual([]);
});

test('an upload waits if unfinished uploads use the share of its community, but not if they use that of another one', async () => {
  const service = await start();
  await service.call('/v1/communities', {
    key: service.adminKey,
    json: { uniqId: 'other', displayId: 'other', name: 'Other' },
  });
  const uploadTo = async (communityId: string) => {
    const path = `/v1/communities/${communityId}/nftTypes`;
    return (await service.call(path, { method: 'POST', key: service.adminKey, body: nftTypeForm() })).status;
  };
  // Together, these uploads use the share of the community: 80 MiB.
  const unfinished = Array.from({ length: 4 }, () => {
    const socket = connect(service.port ?? 0, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.write(
      'POST /v1/communities/demo/nftTypes HTTP/1.1\r\nHost: a\r\nContent-Length: 20971520\r\n' +
        `X-API-Key: ${service.apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n`,
    );
    return socket;
  });
  const waiting = await vi.waitFor(async () => {
    let isFinished = false;
    const upload = uploadTo('demo').finally(() => {
      isFinished = true;
    });
    // This upload waits only if the service has received all four unfinished ones. Otherwise the test uploads
    // again.
    for (let sent = 0; sent < 3; sent += 1) expect(await uploadTo('other')).toBe(201);
    expect(isFinished).toBe(false);
    // `waitFor` would wait for a returned promise, but not for one in an object.
    return { upload };
  }, WAIT_OPTIONS);
  unfinished[0]?.destroy();
  expect(await waiting.upload).toBe(201);
});
