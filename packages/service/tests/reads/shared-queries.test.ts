import type { Operation } from '@badge/protocol';
import { newWallet, signedClaim } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { Server } from '../../src/http/server.ts';
import { createLookUps } from '../../src/storage/look-ups.ts';
import { createToken } from '../../src/testing/creations.ts';
import { createTestServer, startTestService, type TestService } from '../../src/testing/services.ts';

const REQUESTS = 30;

let service: TestService;
let server: Server;
let operations: Operation[];
let queries = 0;
beforeAll(async () => {
  service = await startTestService();
  operations = [await createToken(service), await createToken(service)];
  const database = service.context.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      queries += 1;
      return result;
    },
  });
  const context: Context = { ...service.context, database, lookUps: createLookUps(database) };
  ({ server } = await createTestServer(context));
  await server.ready();
});
afterAll(async () => {
  await server.close();
  await service.stop();
});

/**
 * Sends requests at the same time. Returns their statuses and bodies, and how many queries they needed
 * together.
 */
async function readTogether(paths: string[]) {
  queries = 0;
  const responses = await Promise.all(paths.map((path) => server.inject(path)));
  return {
    statuses: responses.map(({ statusCode }) => statusCode),
    bodies: responses.map((response) => response.json()),
    queries,
  };
}

const repeat = (paths: string[]) => Array.from({ length: REQUESTS }, () => paths).flat();

test('reads of communities that arrive together share a query, and each gets its own result', async () => {
  const read = await readTogether(repeat(['demo', 'none', 'Demo'].map((id) => `/v1/communities/${id}`)));
  expect(read.queries).toBeLessThanOrEqual(2);
  expect(read.statuses).toEqual(Array.from({ length: REQUESTS }, () => [200, 404, 404]).flat());
  expect(read.bodies[0]).toMatchObject({ uniqId: 'demo' });
  expect(read.bodies[1]).toMatchObject({ name: 'CommunityNotFound' });
});

test('reads of operations that arrive together share a query, and each gets its own result', async () => {
  const ids = operations.map(({ operationId }) => operationId);
  const wanted = [...ids, ids.map((id) => id.toUpperCase())[0], '00000000-0000-4000-8000-000000000000'];
  const read = await readTogether(repeat(wanted.map((id) => `/v1/operations/${id}`)));
  expect(read.queries).toBeLessThanOrEqual(2);
  expect(read.statuses).toEqual(Array.from({ length: REQUESTS }, () => [200, 200, 200, 404]).flat());
  expect(read.bodies.slice(0, 3).map(({ operationId }) => operationId)).toEqual([...ids, ids[0]]);
  expect(read.bodies.slice(0, 2)).toMatchObject(operations);
});

test('the page of a wallet is read again only after a change of what a wallet holds', async () => {
  const wallet = newWallet();
  const paths = ['', '?claimStatus=claimed', `?tokenId=${operations[0]?.resourceId}`].map(
    (query) => `/v1/wallets/${wallet.address}/tokens${query}`,
  );
  // Otherwise the changes that have created the tokens could drop the first responses.
  await service.context.tokenChanges.catchUp();
  expect((await readTogether(paths)).queries).toBe(3);
  // This changes no owner, but the lists.
  await createToken(service);
  expect(await readTogether(paths)).toMatchObject({ queries: 0, statuses: [200, 200, 200] });
  for (const { resourceId } of operations) {
    const json = await signedClaim(resourceId ?? 0, wallet);
    const accepted = await service.call(`/v1/tokens/${resourceId}/claim`, { json });
    await service.call(`${accepted.headers.get('location')}?wait=20`);
  }
  const read = await readTogether(paths);
  expect(read.queries).toBe(3);
  expect(read.bodies.map(({ data }) => data.length)).toEqual([2, 2, 1]);
});
