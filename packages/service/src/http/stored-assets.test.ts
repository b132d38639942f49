import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { CommunityConfiguration } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nftTypeForm, TINY_GIF } from '../testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../testing/services.ts';

async function start(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return service;
}

/** Starts a process without a worker: operations stay pending until `startWorker` is called. */
const startApi = () => start({ BADGE_ROLE: 'api' });
const startWorker = ({ databaseUrl }: TestService) =>
  start({ DATABASE_URL: databaseUrl, BADGE_ROLE: 'worker' });

async function upload({ call, apiKey }: TestService, nftTypeId = randomUUID()) {
  const body = nftTypeForm({ nftTypeId });
  const response = await call('/v1/communities/demo/nftTypes', { method: 'POST', key: apiKey, body });
  return { status: response.status, nftTypeId, json: (await response.json()) as Record<string, unknown> };
}

async function addNftType(service: TestService): Promise<string> {
  const { status, nftTypeId } = await upload(service);
  expect(status).toBe(201);
  return nftTypeId;
}

async function deleteNftType({ call, apiKey }: TestService, nftTypeId: string): Promise<number> {
  const path = `/v1/communities/demo/nftTypes/${nftTypeId}`;
  return (await call(path, { method: 'DELETE', key: apiKey })).status;
}

async function requestToken({ call, apiKey }: TestService, nftTypeId: string): Promise<Response> {
  return await call('/v1/tokens', { key: apiKey, json: await signedToken({ nftTypeId }) });
}

/** Requests a token, and returns the location of its operation. */
async function requestAcceptedToken(service: TestService, nftTypeId: string): Promise<string> {
  const response = await requestToken(service, nftTypeId);
  expect(response.status).toBe(202);
  return response.headers.get('location') ?? '';
}

async function waitUntilFinal({ call }: TestService, location: string) {
  const operation = await (await call(`${location}?wait=30`)).json();
  return operation as { status: string; resourceId: number | null };
}

async function expectPicture({ call }: TestService, tokenId: number | null): Promise<void> {
  const response = await call(`/images/token/${tokenId}.gif`);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(TINY_GIF);
}

/** Counts both tables in one query: an asset and its pieces are inserted and deleted together. */
async function countAssets({ databaseUrl }: TestService): Promise<number> {
  const [row] = await query<{ assets: number; pieces: number }>(
    databaseUrl,
    `select (select count(*) from assets)::integer as assets,
            (select count(*) from asset_pieces)::integer as pieces`,
  );
  expect(row?.pieces).toBe(row?.assets);
  return row?.assets ?? 0;
}

const expectAssets = (service: TestService, assets: number) =>
  vi.waitFor(async () => expect(await countAssets(service)).toBe(assets), WAIT_OPTIONS);

/** Opens a transaction on a connection of its own, which closes at the end of the test. */
async function openTransaction({ databaseUrl }: TestService): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  return client;
}

/** Waits until a lock blocks a statement of the service. */
const waitForBlockedStatement = ({ databaseUrl }: TestService) =>
  vi.waitFor(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(await query(databaseUrl, waiting)).not.toEqual([]);
  }, WAIT_OPTIONS);

// Enough for three files, but not for a fourth one.
const QUOTA_OF_THREE = { BADGE_STORAGE_QUOTA: String(3 * TINY_GIF.length + 1) };

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

test('an upload is refused if the files removed in the last ten minutes together have the size of the quota', {
  tags: ['slow'],
}, async () => {
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

test('NFT types that are uploaded and deleted repeatedly leave no files', { tags: ['slow'] }, async () => {
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

test('a token keeps the file of its deleted NFT type, and the file still counts towards the quota', {
  tags: ['slow'],
}, async () => {
  const service = await start(QUOTA_OF_THREE);
  const nftTypeId = await addNftType(service);
  const { resourceId } = await waitUntilFinal(service, await requestAcceptedToken(service, nftTypeId));
  expect(await deleteNftType(service, nftTypeId)).toBe(204);
  await expectPicture(service, resourceId);
  await addNftType(service);
  await addNftType(service);
  expect((await upload(service)).json.name).toBe('StorageQuotaReached');
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

/** Changes the request of a pending operation so that the operation ends in error. */
async function makeFail({ databaseUrl }: TestService, location: string): Promise<void> {
  const operationId = location.split('/').at(-1);
  await query(
    databaseUrl,
    `update operations set request = request || '{"creator": "no hex"}' where operation_id = $1`,
    [operationId],
  );
}

test('the file of a deleted NFT type is removed when its last pending operation has ended in error', {
  tags: ['slow'],
}, async () => {
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

test('a worker removes the unused files of deleted NFT types', {
  tags: ['slow'],
}, async () => {
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

test('the deletion of an NFT type waits for an operation that is accepted with this type, and keeps the file', {
  tags: ['slow'],
}, async () => {
  const service = await startApi();
  const nftTypeId = await addNftType(service);
  const transaction = await openTransaction(service);
  await transaction.query(
    `insert into operations (operation_id, operation_type, community_id, request, request_bytes)
     values (gen_random_uuid(), 'createToken', 'demo', jsonb_build_object('nftTypeId', $1::text, 'assetContentType', 'image/gif'), 1)`,
    [nftTypeId],
  );
  const removal = deleteNftType(service, nftTypeId);
  await waitForBlockedStatement(service);
  await transaction.query('commit');
  expect(await removal).toBe(204);
  expect(await countAssets(service)).toBe(1);
});

test('a request to create a token waits for the deletion of its NFT type, and is then refused', async () => {
  const service = await startApi();
  const nftTypeId = await addNftType(service);
  const transaction = await openTransaction(service);
  await transaction.query('select from nft_types where nft_type_id = $1 for update', [nftTypeId]);
  const tokenRequest = requestToken(service, nftTypeId);
  await waitForBlockedStatement(service);
  await transaction.query('update nft_types set deleted_at = now() where nft_type_id = $1', [nftTypeId]);
  await transaction.query('commit');
  const response = await tokenRequest;
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ name: 'NftTypeNotFound' });
  expect(await query(service.databaseUrl, 'select from operations')).toEqual([]);
});

test('if tokens are created while their NFT types are deleted, every accepted token has its picture, and no other file remains', {
  tags: ['slow'],
}, async () => {
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
    // This upload waits only if the service has received all four unfinished ones. Otherwise the test uploads again.
    for (let sent = 0; sent < 3; sent += 1) expect(await uploadTo('other')).toBe(201);
    expect(isFinished).toBe(false);
    // `waitFor` would wait for a returned promise, but not for one in an object.
    return { upload };
  }, WAIT_OPTIONS);
  unfinished[0]?.destroy();
  expect(await waiting.upload).toBe(201);
});
