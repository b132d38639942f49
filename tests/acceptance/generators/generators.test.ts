import { newWallet, signedToken } from '@badge/test-support/signing';
import createClient from 'openapi-fetch';
import { expect, inject, test } from 'vitest';
import { sampleFiles } from '../sample-files.ts';
import { run } from './generate.ts';
import * as heyApi from './generated/hey-api';
import { client as heyApiClient } from './generated/hey-api/client.gen';
import type { paths } from './generated/openapi-typescript';
import * as orval from './generated/orval';

// Each client makes the same calls: a read, a signed token, an operation, a page, an upload and an error. The
// types are part of the test, so no call has a cast or an `any`.

const baseUrl = inject('baseUrl');
const headers = { Authorization: `Bearer ${inject('apiKey')}` };
const assetFile = new File([sampleFiles['image/png']], 'design.png', { type: 'image/png' });
const newToken = () => signedToken({}, newWallet(), inject('environment').eip712);
const idIn = (location: string | null | undefined) => location?.split('/').at(-1) ?? '';

test('Spectral has nothing to say about the document', async () => {
  await run('spectral', 'lint', 'generated/openapi.json', '--fail-severity', 'hint');
});

test('the generated clients, and the calls below, compile with strict types', async () => {
  await run('tsc', '--project', '.');
});

test('a client of openapi-typescript and openapi-fetch', async () => {
  const client = createClient<paths>({ baseUrl, headers });
  const path = { communityId: 'demo' };
  const community = await client.GET('/v1/communities/{communityId}', { params: { path } });
  expect(community.data?.uniqId).toBe('demo');
  const accepted = await client.POST('/v1/tokens', { body: await newToken() });
  const operationId = idIn(accepted.response.headers.get('location'));
  const { data: operation } = await client.GET('/v1/operations/{operationId}', {
    params: { path: { operationId }, query: { wait: 30 } },
  });
  expect(operation).toMatchObject({ status: 'success', warnings: [] });
  const { data: page } = await client.GET('/v1/tokens', { params: { query: { limit: 1, order: 'desc' } } });
  expect(page?.data.map(({ tokenId }) => tokenId)).toEqual([operation?.resourceId]);
  const uploaded = await client.POST('/v1/communities/{communityId}/nftTypes', {
    params: { path },
    // To this generator, files are texts.
    body: { assetFile: '', name: 'Pixel' },
    bodySerializer: ({ name }) => {
      const form = new FormData();
      form.append('name', name);
      form.append('assetFile', assetFile);
      return form;
    },
  });
  expect(uploaded.data?.isUserAdded).toBe(true);
  const missing = await client.GET('/v1/tokens/{tokenId}', { params: { path: { tokenId: 999_999 } } });
  expect(missing.error?.name).toBe('TokenNotFound');
});

test('a client of @hey-api/openapi-ts', async () => {
  heyApiClient.setConfig({ baseUrl, headers });
  const path = { communityId: 'demo' };
  const community = await heyApi.readCommunity({ path });
  expect(community.data?.uniqId).toBe('demo');
  const accepted = await heyApi.createToken({ body: await newToken() });
  const operationId = idIn(accepted.response?.headers.get('location'));
  const { data: operation } = await heyApi.readOperation({ path: { operationId }, query: { wait: 30 } });
  expect(operation).toMatchObject({ status: 'success', warnings: [] });
  const { data: page } = await heyApi.listTokens({ query: { limit: 1, order: 'desc' } });
  expect(page?.data.map(({ tokenId }) => tokenId)).toEqual([operation?.resourceId]);
  const uploaded = await heyApi.createNftType({ path, body: { assetFile, name: 'Pixel' } });
  expect(uploaded.data?.isUserAdded).toBe(true);
  const missing = await heyApi.readToken({ path: { tokenId: 999_999 } });
  expect(missing.error?.name).toBe('TokenNotFound');
});

test('a client of orval', async () => {
  const community = await orval.readCommunity('demo');
  expect(community).toMatchObject({ status: 200, data: { uniqId: 'demo' } });
  const accepted = await orval.createToken(await newToken(), { headers });
  const operation = await orval.readOperation(idIn(accepted.headers.get('location')), { wait: 30 });
  if (operation.status !== 200) throw new Error(operation.data.detail);
  expect(operation.data).toMatchObject({ status: 'success', warnings: [] });
  const page = await orval.listTokens({ limit: 1, order: 'desc' });
  if (page.status !== 200) throw new Error(page.data.detail);
  expect(page.data.data.map(({ tokenId }) => tokenId)).toEqual([operation.data.resourceId]);
  const uploaded = await orval.createNftType('demo', { assetFile, name: 'Pixel' }, { headers });
  expect(uploaded).toMatchObject({ status: 201, data: { isUserAdded: true } });
  const missing = await orval.readToken(999_999);
  expect(missing).toMatchObject({ status: 404, data: { name: 'TokenNotFound' } });
});
