import type { AuditEntry, BadgeEvent, Operation, Token } from '@badge/protocol';
import { waitForPlacedEvents } from '@badge/test-support/fixtures';
import { newAddress, newWallet, signedToken } from '@badge/test-support/signing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// The tests of `claimableFromTimestamp` that need a clock that is wrong, or a claim that is not settled yet.
// The other tests are in tests/acceptance/eligibility.test.ts. `api` has no worker.

const HOUR_MS = 3_600_000;

const creator = newWallet();
let service: TestService;
let api: TestService;
beforeAll(async () => {
  service = await startTestService();
  api = await startTestService({
    DATABASE_URL: service.databaseUrl,
    BADGE_ROLE: 'api',
    BADGE_DEMO_API_KEY: service.apiKey,
  });
});
afterAll(async () => {
  await api.stop();
  await service.stop();
});
afterEach(() => vi.useRealTimers());

const readOperation = async (response: Response) =>
  (await (await service.call(`${response.headers.get('location')}?wait=20`)).json()) as Operation;

async function createToken(claimableFromTimestamp: number): Promise<number> {
  const json = { ...(await signedToken({}, creator)), claimableFromTimestamp };
  return Number(
    (await readOperation(await service.call('/v1/tokens', { json, key: service.apiKey }))).resourceId,
  );
}

const claim = (at: TestService, tokenId: number) =>
  at.call(`/v1/tokens/${tokenId}/claim`, { json: { claimingAddress: newAddress() }, key: service.apiKey });

const update = async (tokenId: number, fields: object) =>
  (await (
    await service.call(`/v1/tokens/${tokenId}`, {
      method: 'PATCH',
      body: JSON.stringify(fields),
      headers: { 'Content-Type': 'application/json' },
      key: service.apiKey,
    })
  ).json()) as Token;

test.each([
  ['two hours fast', 2 * HOUR_MS],
  ['two hours slow', -2 * HOUR_MS],
])("the database's clock decides, although that of the process is %s", async (_title, offMs) => {
  const now = Date.now();
  const [later, sooner] = await Promise.all([createToken(now + HOUR_MS), createToken(now - HOUR_MS)]);
  vi.useFakeTimers({ toFake: ['Date'], now: now + offMs });
  expect((await claim(service, later)).status).toBe(409);
  expect(await readOperation(await claim(service, sooner))).toMatchObject({ status: 'success' });
});

test('a claim that was accepted in time stays accepted if the start is moved before it is settled', async () => {
  const tokenId = await createToken(0);
  // The worker waits for the lock of the token, and the claim is accepted meanwhile.
  const accepted = await holdToken(tokenId, async () => {
    const response = await claim(api, tokenId);
    expect(response.status).toBe(202);
    return response;
  });
  expect(await readOperation(accepted)).toMatchObject({ status: 'success' });
  expect((await claim(service, tokenId)).status).toBe(409);
});

/** Moves the start of the token while nothing can be settled, after `work`. */
async function holdToken<T>(tokenId: number, work: () => Promise<T>): Promise<T> {
  const { Client } = (await import('pg')).default;
  const client = new Client(service.databaseUrl);
  await client.connect();
  await client.query('begin');
  await client.query('select from tokens where token_id = $1 for no key update', [tokenId]);
  const result = await work();
  await client.query('update tokens set claimable_from_timestamp = $2 where token_id = $1', [
    tokenId,
    Date.now() + HOUR_MS,
  ]);
  await client.query('commit');
  await client.end();
  return result;
}

test('a change is an event and an audit entry, and nothing else of the token changes', async () => {
  const tokenId = await createToken(0);
  const before = (await (await service.call(`/v1/tokens/${tokenId}`)).json()) as Token;
  const claimableFromTimestamp = Date.now() + HOUR_MS;
  expect(await update(tokenId, { claimableFromTimestamp })).toEqual({ ...before, claimableFromTimestamp });
  await update(tokenId, { claimableFromTimestamp });
  await waitForPlacedEvents(service.databaseUrl);
  const read = async <T>(path: string, key: string) =>
    ((await (await service.call(path, { key })).json()) as { data: T[] }).data;
  const feed = await read<BadgeEvent>('/v1/communities/demo/events?limit=1000', service.apiKey);
  const events = feed.filter(({ type, data }) => type === 'token.updated' && data.tokenId === tokenId);
  expect(events).toHaveLength(1);
  const log = await read<AuditEntry>('/v1/auditLog?action=updateToken', service.adminKey);
  // Each request has one, also that which changes nothing.
  expect(log.filter(({ resourceId }) => resourceId === String(tokenId))).toHaveLength(2);
});
