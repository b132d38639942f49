import { randomUUID } from 'node:crypto';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { stderr } from '../output.ts';
import { createToken } from '../testing/creations.ts';
import { startTestService, type TestService } from '../testing/services.ts';

let service: TestService;
let lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  vi.spyOn(stderr, 'write').mockImplementation((text) => void lines.push(JSON.parse(text)));
  service = await startTestService({ LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await service.stop();
  vi.restoreAllMocks();
});
beforeEach(() => {
  lines = [];
});

// The line is written after the response has arrived.
const readLine = () => vi.waitUntil(() => lines.find(({ msg }) => msg === 'request completed'));

async function readErrorCount(name: string): Promise<number> {
  const text = await (await service.call('/metrics')).text();
  return Number(new RegExp(`^badge_http_errors_total\\{name="${name}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

test.for<[number, string, string, (Parameters<TestService['call']>[1] & { json?: unknown })?]>([
  [400, 'InvalidRequest', '/v1/wallets/nobody/tokens'],
  [401, 'ApiKeyRequired', '/v1/tokens', { json: {} }],
  [401, 'InvalidApiKey', '/v1/tokens', { json: {}, key: 'badge_sandbox_wrong' }],
  [404, 'TokenNotFound', '/v1/tokens/999'],
  [404, 'OperationNotFound', `/v1/operations/${randomUUID()}`],
  [404, 'NotFound', '/v1/nothing'],
  [404, 'NotFound', '/nothing'],
  [404, 'NotFound', '/images/nothing.txt'],
  [405, 'MethodNotAllowed', '/healthz', { method: 'POST' }],
  [415, 'UnsupportedMediaType', '/v1/checkOwners', { method: 'POST', body: 'text' }],
])('the line of a request with %i names %s, and the metric counts it', async ([status, name, path, init]) => {
  const before = await readErrorCount(name);
  await readLine();
  lines = [];
  const response = await service.call(path, init);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ name });
  expect(await readLine()).toMatchObject({ status, error: name });
  expect(await readErrorCount(name)).toBe(before + 1);
});

test('the line of a request that succeeds has no error', async () => {
  await service.call('/v1/environment');
  const line = await readLine();
  expect(line).toMatchObject({ status: 200 });
  expect(line).not.toHaveProperty('error');
  expect(line).not.toHaveProperty('operationError');
});

test('the line of a request that reads a failed operation names the error of the operation', async () => {
  const { operationId } = await createToken(service, await signedToken());
  await query(
    service.databaseUrl,
    `update operations set status = 'error', resource_id = null, error = '{"name":"NoTokensLeft","detail":"…"}' where operation_id = '${operationId}'`,
  );
  lines = [];
  const response = await service.call(`/v1/operations/${operationId}`);
  expect(await response.json()).toMatchObject({ error: { name: 'NoTokensLeft' } });
  const line = await readLine();
  expect(line).toMatchObject({ status: 200, operationError: 'NoTokensLeft' });
  expect(line).not.toHaveProperty('error');
});
