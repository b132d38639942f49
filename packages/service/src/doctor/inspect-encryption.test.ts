import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { createEncryption } from '../encryption.ts';
import { readDatabaseFacts } from '../storage/inspection.ts';
import { startTestService } from '../testing/services.ts';
import { createWebhook } from '../testing/webhook-receiver.ts';
import { inspectEncryption, inspectWebhookSecrets } from './inspect-encryption.ts';

const PRODUCTION = {
  BADGE_ENVIRONMENT: 'production',
  BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
};
let directory: string;
const key = randomBytes(32);
const stored = {
  webhookId: 'id',
  encrypted: createEncryption(createSecretKey(key)).encrypt('webhookSecret', 'id', 'whsec_x'),
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'badge-doctor-'));
  await writeFile(join(directory, 'key'), key, { mode: 0o600 });
  await writeFile(join(directory, 'other-key'), randomBytes(32), { mode: 0o600 });
});
afterAll(() => rm(directory, { recursive: true }));

const inspect = (env: Record<string, string>, webhookSecret: typeof stored | null = stored) =>
  inspectEncryption({ webhookSecret }, readConfig({ BADGE_DATA_DIR: directory, ...env }));
const keyFile = (name: string) => ({ BADGE_ENCRYPTION_KEY_FILE: join(directory, name) });

test('nothing is wrong with the right key, and without encrypted data', () => {
  for (const more of [{}, PRODUCTION, { BADGE_ROLE: 'worker' }]) {
    expect(inspect({ ...keyFile('key'), ...more })).toMatchObject({ level: 'ok' });
    expect(inspect(more, null)).toMatchObject({ level: 'ok' });
  }
});

test('a missing key, another one and a wrong file are problems', async () => {
  expect(inspect(PRODUCTION)).toMatchObject({ level: 'problem', found: expect.stringContaining('no key') });
  expect(inspect(keyFile('other-key'))).toMatchObject({
    level: 'problem',
    found: expect.stringContaining('another key'),
  });
  await writeFile(join(directory, 'encryption-key'), key, { mode: 0o644 });
  expect(inspect({})).toMatchObject({
    level: 'problem',
    found: expect.stringContaining('other users can read'),
  });
  await rm(join(directory, 'encryption-key'));
});

test('the facts have an encrypted secret', async () => {
  const service = await startTestService();
  expect((await readDatabaseFacts({ connectionString: service.databaseUrl })).webhookSecret).toBeNull();
  const { webhookId, secret } = await createWebhook(service, { url: 'https://example.org/' });
  const { webhookSecret } = await readDatabaseFacts({ connectionString: service.databaseUrl });
  expect(webhookSecret?.webhookId).toBe(webhookId);
  const encrypted = webhookSecret?.encrypted ?? Buffer.alloc(0);
  expect(service.context.encryption?.decrypt('webhookSecret', webhookId, encrypted)).toBe(secret);
  await service.stop();
});

test('webhooks without a secret are a warning', () => {
  expect(inspectWebhookSecrets({ webhooksWithoutSecret: 0 })).toEqual([]);
  expect(inspectWebhookSecrets({ webhooksWithoutSecret: 2 })).toMatchObject([
    { level: 'warning', check: 'webhooks', found: expect.stringMatching(/^2 without a secret/) },
  ]);
});
