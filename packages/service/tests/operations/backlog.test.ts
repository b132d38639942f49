import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let api: TestService;
beforeAll(async () => {
  // Without a worker, accepted operations stay pending.
  api = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => await api.stop());

const createToken = async () => api.call('/v1/tokens', { key: api.apiKey, json: await signedToken() });
/** Changes all operations as if they had been accepted this long ago. */
const setAge = (seconds: number) =>
  query(api.databaseUrl, `update operations set created_at = now() - interval '${seconds} s'`);
const readReadiness = async () => (await api.call('/readyz')).json();

test('while the oldest pending operation of a community is too old, its requests to create tokens get 503; invalid requests, reads and other communities get their usual response', async () => {
  const accepted = await createToken();
  expect(accepted.status).toBe(202);
  await setAge(14);
  expect((await createToken()).status).toBe(202);
  expect(await readReadiness()).toEqual({ status: 'ready' });

  await setAge(16);
  const refused = await vi.waitFor(async () => {
    const response = await createToken();
    expect(response.status).toBe(503);
    return response;
  }, WAIT_OPTIONS);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({
    name: 'Unavailable',
    detail:
      "The community's oldest accepted operation has waited too long; no more are accepted until it is settled.",
  });
  // An invalid request gets its own error: this token does not exist.
  const claim = { claimingAddress: `0x${'1'.repeat(40)}` };
  expect((await api.call('/v1/tokens/1/claim', { key: api.apiKey, json: claim })).status).toBe(404);
  for (const path of ['/v1/tokens', `${accepted.headers.get('location')}`, '/v1/communities/demo']) {
    expect((await api.call(path)).status).toBe(200);
  }
  const community = { displayId: 'other', name: 'Other', uniqId: 'other' };
  expect((await api.call('/v1/communities', { key: api.adminKey, json: community })).status).toBe(201);
  const tokenOfOther = await signedToken({ communityId: 'other' });
  expect((await api.call('/v1/tokens', { key: api.adminKey, json: tokenOfOther })).status).toBe(202);
  expect((await createToken()).status).toBe(503);
  expect(await readReadiness()).toEqual({ status: 'ready', detail: expect.stringContaining('no more are') });
  expect(await (await api.call('/metrics')).text()).toMatch(/^badge_operations_refused_total [1-9]/m);

  const worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
  await vi.waitFor(async () => expect((await createToken()).status).toBe(202), WAIT_OPTIONS);
  await worker.stop();
  expect(await readReadiness()).toEqual({ status: 'ready' });
});

test('while the pending operations of a community are too large together, its requests to create tokens get 503, and those of another community 202', async () => {
  expect((await createToken()).status).toBe(202);
  // More than the limit of 64 MiB.
  await query(api.databaseUrl, "update operations set request_bytes = 70000000 where status = 'pending'");
  const refused = await vi.waitFor(async () => {
    const response = await createToken();
    expect(response.status).toBe(503);
    return response;
  }, WAIT_OPTIONS);
  expect(await refused.json()).toMatchObject({
    name: 'Unavailable',
    detail: expect.stringContaining('too large'),
  });
  const community = { displayId: 'third', name: 'Third', uniqId: 'third' };
  expect((await api.call('/v1/communities', { key: api.adminKey, json: community })).status).toBe(201);
  const tokenOfThird = await signedToken({ communityId: 'third' });
  expect((await api.call('/v1/tokens', { key: api.adminKey, json: tokenOfThird })).status).toBe(202);
});

test('the first scrape of the metrics shows the age of the oldest pending operation and the number of isolated operations', async () => {
  const service = await startTestService({ BADGE_ROLE: 'api' });
  for (let i = 0; i < 2; i += 1) {
    await service.call('/v1/tokens', { key: service.apiKey, json: await signedToken() });
  }
  await query(
    service.databaseUrl,
    `update operations set created_at = now() - interval '30 s',
       status = case when sequence = (select min(sequence) from operations) then 'processing' else status end`,
  );
  const metrics = await (await service.call('/metrics')).text();
  await service.stop();
  expect(metrics).toMatch(/^badge_operations_oldest_pending_seconds 3\d\.\d+$/m);
  // The name of this metric is older than the word `isolated`.
  expect(metrics).toMatch(/^badge_operations_set_aside 1$/m);
  expect(metrics).toMatch(/^badge_operations_pending 1$/m);
});
