import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { CreatedNftType, Problem } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hashKey, makeKey } from '../domain/api-keys/rules.ts';
import { OPERATOR } from '../testing/demo-database.ts';
import { nftTypeForm, TINY_GIF } from '../testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../testing/services.ts';

const PATH = '/v1/communities/demo/nftTypes';
const FORM_START =
  '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nn\r\n' +
  '--b\r\nContent-Disposition: form-data; name="assetFile"; filename="f"\r\n\r\n';
const FORM_END = '\r\n--b--\r\n';

let service: TestService;
beforeAll(async () => {
  // Without a worker, accepted operations stay pending.
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => {
  await service.stop();
});

/** Counts the stored files and their pieces. */
const countAssets = async () => {
  const [row] = await query<{ assets: number; pieces: number }>(
    service.databaseUrl,
    'select (select count(*) from assets)::integer as assets, (select count(*) from asset_pieces)::integer as pieces',
  );
  return row;
};

/** Starts an upload. The test sends the rest of the form. */
function beginUpload(key = service.apiKey): ClientRequest {
  const headers = { 'X-API-Key': key, 'Content-Type': 'multipart/form-data; boundary=b' };
  const upload = request(`${service.url}${PATH}`, { method: 'POST', headers });
  upload.on('error', () => undefined);
  upload.write(FORM_START);
  upload.write(TINY_GIF);
  return upload;
}

async function endUpload(upload: ClientRequest): Promise<Problem> {
  upload.end(FORM_END);
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return (await json(response)) as Problem;
}

const addNftType = async (file: Buffer, fields: Record<string, string> = {}) => {
  const form = nftTypeForm(fields);
  form.set('assetFile', new Blob([new Uint8Array(file)]));
  const response = await service.call(PATH, { method: 'POST', key: service.apiKey, body: form });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedNftType;
};
const toLocalUrl = (url: string) => url.replace('localhost', '127.0.0.1');

// Fastify rejects the second one before the handler.
test.each(['text/plain', 'form'])('an upload as %s is refused, and says what is accepted', async (type) => {
  const headers = { 'Content-Type': type };
  const response = await service.call(PATH, { method: 'POST', key: service.apiKey, body: 'x', headers });
  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({ detail: 'The body must be sent as multipart/form-data.' });
});

test('an interrupted upload stores nothing', async () => {
  const before = await countAssets();
  const upload = beginUpload();
  upload.write(randomBytes(1024 * 1024));
  await once(upload, 'drain');
  const closed = new Promise((resolve) => upload.once('close', resolve));
  upload.destroy();
  await closed;
  // When a later upload has finished, the service has also finished the interrupted one.
  await addNftType(TINY_GIF);
  expect(await countAssets()).toEqual({
    assets: Number(before?.assets) + 1,
    pieces: Number(before?.pieces) + 1,
  });
});

test('an upload that waits for its client holds no database connection', async () => {
  const upload = beginUpload();
  upload.write(randomBytes(512 * 1024));
  await once(upload, 'drain');
  await vi.waitFor(async () => {
    const activeConnections = await query(
      service.databaseUrl,
      `select query from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    expect(activeConnections).toEqual([]);
  });
  expect(await endUpload(upload)).toMatchObject({ isUserAdded: true });
});

test('an upload is rejected if its API key is revoked before the whole form has arrived', async () => {
  const key = makeKey('sandbox');
  await query(
    service.databaseUrl,
    `insert into api_keys (api_key_id, community_id, key_hash, prefix, name) values ($1, 'demo', $2, '', '')`,
    [randomUUID(), hashKey(key)],
  );
  const before = await countAssets();
  const upload = beginUpload(key);
  await once(upload, 'socket');
  await vi.waitFor(() => expect(upload.socket?.bytesWritten).toBeGreaterThan(0));
  // When a later request has its response, the service has checked the key of the upload.
  expect((await service.call(PATH, { key })).status).toBe(200);
  await query(service.databaseUrl, 'update api_keys set revoked_at = now() where key_hash = $1', [
    hashKey(key),
  ]);
  expect((await endUpload(upload)).name).toBe('InvalidApiKey');
  expect(await countAssets()).toEqual(before);
});

test('a file is stored in pieces and served as a whole', async () => {
  const file = Buffer.concat([TINY_GIF, randomBytes(600_000)]);
  const { assetUrl } = await addNftType(file);
  const assetId = /([^/]+)\.gif$/.exec(assetUrl)?.[1];
  const pieces = await query<{ bytes: number }>(
    service.databaseUrl,
    'select length(bytes) as bytes from asset_pieces where asset_id = $1 order by piece',
    [assetId],
  );
  const pieceBytes = 256 * 1024;
  expect(pieces.map(({ bytes }) => bytes)).toEqual([pieceBytes, pieceBytes, file.length - 2 * pieceBytes]);
  const served = await (await fetch(toLocalUrl(assetUrl))).arrayBuffer();
  expect(Buffer.from(served).equals(file)).toBe(true);
});

test('the response with a file is aborted if a piece in the middle of the file cannot be read', async () => {
  const { assetUrl } = await addNftType(Buffer.concat([TINY_GIF, randomBytes(600_000)]));
  const assetId = /([^/]+)\.gif$/.exec(assetUrl)?.[1];
  await query(service.databaseUrl, 'delete from asset_pieces where asset_id = $1 and piece = 1', [assetId]);
  await expect(fetch(toLocalUrl(assetUrl)).then((response) => response.arrayBuffer())).rejects.toThrow();
});

test('an operation is not inserted if its NFT type was deleted after the check, unless it repeats an earlier request', async () => {
  const { nftTypeId } = await addNftType(TINY_GIF);
  const insertOperation = (requestIdentity: Buffer) =>
    service.context.insertOperation({
      operationId: randomUUID(),
      // Unlike createToken, a burn repeats an earlier request however old that is.
      operationType: 'burn',
      communityId: 'demo',
      actor: OPERATOR,
      requestIdentity,
      nftTypeId,
      request: '{}',
    });
  const acceptedIdentity = randomBytes(32);
  const operation = await insertOperation(acceptedIdentity);
  expect(operation).toEqual({ operationId: expect.any(String), isReplay: false });
  const path = `${PATH}/${nftTypeId}`;
  expect((await service.call(path, { method: 'DELETE', key: service.apiKey })).status).toBe(204);
  expect(await insertOperation(randomBytes(32))).toBe('nftTypeDeleted');
  // Both inserts are in one batch. The second one repeats an earlier request, so it returns the operation of
  // that request.
  expect(await Promise.all([insertOperation(randomBytes(32)), insertOperation(acceptedIdentity)])).toEqual([
    'nftTypeDeleted',
    { ...Object(operation), isReplay: true },
  ]);
});
