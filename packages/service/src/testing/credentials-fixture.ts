import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BadgeCredential, CustomAttribute, Operation } from '@badge/protocol';
import { JUDGES } from '@badge/test-support/credential-judges';
import { newWallet, signedToken, type Wallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export async function judgeAll(credential: object): Promise<Record<string, string>> {
  const judgements = await Promise.all(
    Object.entries(JUDGES).map(async ([name, judge]) => [name, await judge(credential)]),
  );
  return Object.fromEntries(judgements);
}
export const all = (judgement: string) =>
  Object.fromEntries(Object.keys(JUDGES).map((name) => [name, judgement]));

export const ATTRIBUTES: CustomAttribute[] = [
  { fieldName: 'text', type: 'string', value: 'a "text" \\ with\nlines' },
  { fieldName: 'empty', type: 'string', value: '' },
  { fieldName: 'integer', type: 'number', value: 5 },
  { fieldName: 'fraction', type: 'number', value: 1e-7 },
  { fieldName: 'yes', type: 'boolean', value: true },
  { fieldName: 'day', type: 'date', value: '2026-01-31' },
  { fieldName: 'time', type: 'date', value: 1_767_225_600_000 },
  { fieldName: 'Ünïcödé 日本', type: 'string', value: '🏅' },
];

/** Starts a service that makes credentials before the tests, and stops it after. */
export function credentialsFixture() {
  let service: TestService;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'badge-credentials-'));
    await writeFile(join(directory, 'seed'), randomBytes(32), { mode: 0o600 });
    await writeFile(join(directory, 'other-seed'), randomBytes(32), { mode: 0o600 });
    service = await startTestService({ BADGE_ISSUER_SEED_FILE: join(directory, 'seed') });
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  async function finish(response: Response): Promise<Operation> {
    const operation = await service.call(`${response.headers.get('location')}?wait=30`);
    const result = (await operation.json()) as Operation;
    expect(result).toMatchObject({ status: 'success' });
    return result;
  }

  async function createToken(fields: Record<string, unknown> = {}, key = service.apiKey): Promise<number> {
    const response = await service.call('/v1/tokens', { key, json: await signedToken(fields) });
    return Number((await finish(response)).resourceId);
  }

  async function airdrop(tokenId: number, { address }: Pick<Wallet, 'address'>): Promise<void> {
    await finish(
      await service.call(`/v1/tokens/${tokenId}/airdrop`, { key: service.adminKey, json: { address } }),
    );
  }

  /** Creates a token and gives it to a new wallet. */
  async function createBadge(fields: Record<string, unknown> = {}, key?: string) {
    const tokenId = await createToken(fields, key);
    const wallet = newWallet();
    await airdrop(tokenId, wallet);
    return { tokenId, wallet, path: `/v1/tokens/${tokenId}/credentials/${wallet.address}` };
  }

  async function readCredential(path: string, { call }: Pick<TestService, 'call'> = service) {
    const response = await call(path);
    expect(response.status).toBe(200);
    const text = await response.text();
    return { text, credential: JSON.parse(text) as BadgeCredential, headers: response.headers };
  }

  return {
    get service() {
      return service;
    },
    get directory() {
      return directory;
    },
    finish,
    createToken,
    airdrop,
    createBadge,
    readCredential,
  };
}
