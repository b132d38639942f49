import type { Operation } from '@badge/protocol';
import { newAddress, signedToken } from '@badge/test-support/signing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { lockForReplacement } from '../../src/storage/token-locks.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

async function finish(service: TestService, response: Response | Promise<Response>): Promise<Operation> {
  const location = (await response).headers.get('location');
  return (await (await service.call(`${location}?wait=20`)).json()) as Operation;
}

test('while a token is being replaced, its operations wait, and those of other tokens do not', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const createToken = async () => {
    const json = await signedToken();
    const { resourceId } = await finish(service, service.call('/v1/tokens', { json, key: service.apiKey }));
    return Number(resourceId);
  };
  const claim = (tokenId: number, claimingAddress = newAddress()) =>
    service.call(`/v1/tokens/${tokenId}/claim`, { json: { claimingAddress }, key: service.apiKey });
  const [replaced, replacement, other] = [await createToken(), await createToken(), await createToken()];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isLocked: () => void = () => undefined;
  const locked = new Promise<void>((resolve) => {
    isLocked = resolve;
  });
  const replacing = service.context.transaction(async (tx) => {
    await lockForReplacement(tx, [replacement, replaced]);
    isLocked();
    await held;
  });
  await locked;
  const waiting = [await claim(replaced), await claim(replacement)];
  for (let index = 0; index < 3; index += 1) {
    expect(await finish(service, claim(other))).toMatchObject({ status: 'success' });
    expect(await createToken()).toBeGreaterThan(other);
  }
  for (const response of waiting) {
    const operation = await service.call(response.headers.get('location') ?? '');
    expect(await operation.json()).toMatchObject({ status: 'pending' });
  }
  release();
  await replacing;
  for (const response of waiting) {
    expect(await finish(service, response)).toMatchObject({ status: 'success' });
  }
});

test('a replacement waits for the operations that are just being settled, and no later one overtakes it', async () => {
  const service = await startTestService({ BADGE_ROLE: 'api' });
  onTestFinished(() => service.stop());
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  // As a batch holds it.
  await client.query('begin; select pg_advisory_xact_lock_shared(1382379628, 7)');
  let isLocked = false;
  const replacing = service.context.transaction(async (tx) => {
    await lockForReplacement(tx, [7, 8]);
    isLocked = true;
  });
  await expect
    .poll(
      async () =>
        (
          await client.query(
            "select from pg_locks where locktype = 'advisory' and classid = 1382379628 and not granted",
          )
        ).rowCount,
    )
    .toBe(1);
  const { rows } = await client.query('select pg_try_advisory_xact_lock_shared(1382379628, 8) as free');
  expect(rows).toEqual([{ free: true }]);
  const later = new pg.Client(service.databaseUrl);
  await later.connect();
  const tried = await later.query('select pg_try_advisory_xact_lock_shared(1382379628, 7) as free');
  await later.end();
  expect(tried.rows).toEqual([{ free: false }]);
  expect(isLocked).toBe(false);
  await client.query('commit');
  await replacing;
});
