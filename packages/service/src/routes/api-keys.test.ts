import { randomBytes, randomUUID } from 'node:crypto';
import type { ApiKey, CreatedApiKey, Problem } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOtherProcess, startTestService, type TestService } from '../testing/services.ts';

const KEYS_PATH = '/v1/communities/demo/apiKeys';

let service: TestService;
let otherProcess: TestService;

beforeAll(async () => {
  service = await startTestService();
  otherProcess = await startOtherProcess(service);
});
afterAll(async () => {
  await otherProcess.stop();
  await service.stop();
});

async function createKey(): Promise<CreatedApiKey> {
  const response = await service.call(KEYS_PATH, { key: service.adminKey, json: { name: 'test' } });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedApiKey;
}

const revoke = ({ apiKeyId }: ApiKey) =>
  service.call(`${KEYS_PATH}/${apiKeyId}`, { method: 'DELETE', key: service.adminKey });

/** Requests a token from a process, and returns `accepted` or the name of the error. */
async function createToken(at: TestService, key: string): Promise<string> {
  const response = await at.call('/v1/tokens', { key, json: await signedToken() });
  return response.status === 202 ? 'accepted' : ((await response.json()) as Problem).name;
}

test('a key that is revoked on one process is rejected by another process at once, even under load', async () => {
  const key = await createKey();
  expect(await createToken(otherProcess, key.apiKey)).toBe('accepted');
  let isRevoked = false;
  const outcomesAfterRevocation: string[] = [];
  async function createTokens(): Promise<void> {
    for (let sent = 0; sent < 10; sent += 1) {
      const isSentAfterRevocation = isRevoked;
      const outcome = await createToken(otherProcess, key.apiKey);
      if (isSentAfterRevocation) outcomesAfterRevocation.push(outcome);
    }
  }
  const load = Promise.all([createTokens(), createTokens(), createTokens()]);
  expect((await revoke(key)).status).toBe(204);
  isRevoked = true;
  await load;
  outcomesAfterRevocation.push(await createToken(otherProcess, key.apiKey));
  expect(new Set(outcomesAfterRevocation)).toEqual(new Set(['InvalidApiKey']));
});

test('insertOperation rejects a revoked API key, because a key can be revoked after authentication', async () => {
  const key = await createKey();
  const insertOperation = () =>
    otherProcess.context.insertOperation({
      operationId: randomUUID(),
      operationType: 'createToken',
      communityId: 'demo',
      actor: { kind: 'apiKey', apiKeyId: key.apiKeyId, neededRole: 'editor' },
      requestIdentity: randomBytes(32),
      request: '{}',
    });
  await revoke(key);
  expect(await insertOperation()).toBe('apiKeyInvalid');
});

test('an expired key is rejected, but is still listed and can be revoked', async () => {
  const { apiKey, ...key } = await createKey();
  await query(
    service.databaseUrl,
    "update api_keys set expires_at = now() - interval '1 ms' where api_key_id = $1",
    [key.apiKeyId],
  );
  expect(await createToken(otherProcess, apiKey)).toBe('InvalidApiKey');
  const list = await service.call(`${KEYS_PATH}?limit=1000`, { key: service.adminKey });
  const { data } = (await list.json()) as { data: ApiKey[] };
  expect(data).toContainEqual({ ...key, expiresAtTimestamp: expect.any(Number) });
  expect((await revoke(key)).status).toBe(204);
  expect((await revoke(key)).status).toBe(404);
});

test('the stored row of a key contains the prefix of the key, but not the rest', async () => {
  const { apiKey, apiKeyId, prefix } = await createKey();
  const rows = await query<{ row: string }>(
    service.databaseUrl,
    'select api_keys::text as row from api_keys where api_key_id = $1',
    [apiKeyId],
  );
  expect(rows[0]?.row).toContain(prefix);
  expect(rows[0]?.row).not.toContain(apiKey.slice(prefix.length));
});

test('a revoked demo key stays revoked after a restart', async () => {
  const list = await service.call(KEYS_PATH, { key: service.adminKey });
  const { data } = (await list.json()) as { data: ApiKey[] };
  const demoKey = data.find(({ name }) => name === 'demo');
  expect(demoKey && (await revoke(demoKey)).status).toBe(204);
  const { databaseUrl, apiKey } = service;
  const restarted = await startTestService({ DATABASE_URL: databaseUrl, BADGE_DEMO_API_KEY: apiKey });
  expect(await createToken(restarted, apiKey)).toBe('InvalidApiKey');
  await restarted.stop();
});
