import type { Operation } from '@badge/protocol';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// During an upgrade, workers of two releases take operations from the same queues.
let api: TestService;
let tokenId: number;
const address = newAddress();

beforeAll(async () => {
  api = await startTestService({ BADGE_ROLE: 'api' });
  const worker = await startWorker();
  tokenId = Number((await readFinal(await accept('/v1/tokens', await signedToken()))).resourceId);
  await readFinal(await accept(`/v1/tokens/${tokenId}/airdrop`, { address }));
  await worker.stop();
});
afterAll(async () => await api.stop());

const startWorker = () => startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
async function accept(path: string, json: unknown): Promise<string> {
  const response = await api.call(path, { key: api.apiKey, json });
  expect(response.status, await response.clone().text()).toBe(202);
  return response.headers.get('location') ?? '';
}
const readFinal = async (location: string) =>
  (await (await api.call(`${location}?wait=30`)).json()) as Operation;
const idOf = (location: string) => location.split('/').at(-1);

test('a worker leaves operations that it does not know, and settles the others', async () => {
  const unknown = await accept('/v1/tokens', await signedToken());
  const isolated = await accept('/v1/tokens', await signedToken());
  const setType = "update operations set operation_type = 'ofALaterRelease'";
  await query(api.databaseUrl, `${setType} where operation_id = $1`, [idOf(unknown)]);
  await query(api.databaseUrl, `${setType}, status = 'processing' where operation_id = $1`, [idOf(isolated)]);
  const worker = await startWorker();
  for (let others = 0; others < 3; others += 1) {
    expect(await readFinal(await accept('/v1/tokens', await signedToken()))).toMatchObject({
      status: 'success',
    });
  }
  await worker.stop();
  const rows = await query(
    api.databaseUrl,
    "select status, error from operations where operation_type = 'ofALaterRelease' order by sequence",
  );
  expect(rows).toEqual([
    { status: 'pending', error: null },
    { status: 'processing', error: null },
  ]);
});
