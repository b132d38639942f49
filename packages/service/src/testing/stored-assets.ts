import { randomUUID } from 'node:crypto';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { nftTypeForm, TINY_GIF } from './nft-type-provocations.ts';
import { startTestService, type TestService } from './services.ts';

export async function start(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return service;
}

/** Starts a process without a worker: operations stay pending until `startWorker` is called. */
export const startApi = () => start({ BADGE_ROLE: 'api' });
export const startWorker = ({ databaseUrl }: TestService) =>
  start({ DATABASE_URL: databaseUrl, BADGE_ROLE: 'worker' });

export async function upload({ call, apiKey }: TestService, nftTypeId = randomUUID()) {
  const body = nftTypeForm({ nftTypeId });
  const response = await call('/v1/communities/demo/nftTypes', { method: 'POST', key: apiKey, body });
  return { status: response.status, nftTypeId, json: (await response.json()) as Record<string, unknown> };
}

export async function addNftType(service: TestService): Promise<string> {
  const { status, nftTypeId } = await upload(service);
  expect(status).toBe(201);
  return nftTypeId;
}

export async function deleteNftType({ call, apiKey }: TestService, nftTypeId: string): Promise<number> {
  const path = `/v1/communities/demo/nftTypes/${nftTypeId}`;
  return (await call(path, { method: 'DELETE', key: apiKey })).status;
}

export async function requestToken(
  { call, apiKey }: TestService,
  nftTypeId: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await call('/v1/tokens', { key: apiKey, json: await signedToken({ nftTypeId }), headers });
}

/** Requests a token, and returns the location of its operation. */
export async function requestAcceptedToken(service: TestService, nftTypeId: string): Promise<string> {
  const response = await requestToken(service, nftTypeId);
  expect(response.status).toBe(202);
  return response.headers.get('location') ?? '';
}

export async function waitUntilFinal({ call }: TestService, location: string) {
  const operation = await (await call(`${location}?wait=30`)).json();
  return operation as { status: string; resourceId: number | null };
}

export async function expectPicture({ call }: TestService, tokenId: number | null): Promise<void> {
  const response = await call(`/images/token/${tokenId}.gif`);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(TINY_GIF);
}

/** Counts both tables in one query: an asset and its pieces are inserted and deleted together. */
export async function countAssets({ databaseUrl }: TestService): Promise<number> {
  const [row] = await query<{ assets: number; pieces: number }>(
    databaseUrl,
    `select (select count(*) from assets)::integer as assets,
            (select count(*) from asset_pieces)::integer as pieces`,
  );
  expect(row?.pieces).toBe(row?.assets);
  return row?.assets ?? 0;
}

/** Opens a transaction on a connection of its own, which closes at the end of the test. */
export async function openTransaction({ databaseUrl }: TestService): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  return client;
}

// Enough for three files, but not for a fourth one.
export const QUOTA_OF_THREE = { BADGE_STORAGE_QUOTA: String(3 * TINY_GIF.length + 1) };
