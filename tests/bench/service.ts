import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type BadgeService, ENTRY_POINT, startBadge } from '@badge/test-support/badge-process';
import { query } from '@badge/test-support/sql';
import { makeKey } from '../../packages/service/src/domain/api-keys/rules.ts';
import { type DataSize, insertData } from './data.ts';
import { DOMAIN, signCreations } from './signed-requests.ts';

const ADMIN_KEY = makeKey('admin');
/** The variables without which no command runs in production. */
export const PRODUCTION = {
  BADGE_ENVIRONMENT: 'production',
  BADGE_VERIFYING_CONTRACT: DOMAIN.verifyingContract,
  BADGE_ADMIN_KEY: ADMIN_KEY,
};
const COMMUNITY_ID = 'bench';
const SETTLE_POLL_MS = 10;
const SETTLE_TIMEOUT_MS = 120_000;

/** A service with a community, for the measurements. */
export interface BenchedService {
  url: string;
  port: number;
  pid: number;
  databaseUrl: string;
  /** The community's id and key. */
  community: { communityId: string; apiKey: string };
  stop(): Promise<void>;
}

/**
 * Starts the service as `npm start` does, with the settings of production. Rate limits are off, unless `env`
 * sets them.
 */
export async function startProcess(env: NodeJS.ProcessEnv): Promise<BadgeService> {
  // The service writes its log as in production, but not to a disk, because the disk's speed must not count.
  const log = openSync(devNull, 'w');
  try {
    return await startBadge(
      {
        ...PRODUCTION,
        BADGE_RATE_LIMIT: 'off',
        ...env,
      },
      {
        file: ENTRY_POINT,
        // A worker prints no banner, and a banner with a public URL has no port. Then `startBadge` reads the
        // log.
        ...(env.BADGE_ROLE === 'worker' || env.PUBLIC_URL !== undefined ? {} : { stderr: log }),
      },
    );
  } finally {
    closeSync(log);
  }
}

/** Starts a service with its embedded PostgreSQL, and inserts data. */
export async function startService(
  directory: string,
  size: DataSize,
  { hasAutovacuum, env = {} }: { hasAutovacuum: boolean; env?: NodeJS.ProcessEnv },
): Promise<BenchedService> {
  const service = await startProcess({ ...(await createDataDirectory(directory)), ...env });
  const databaseUrl = `postgres://badge@localhost/badge?host=${encodeURIComponent(join(directory, 'postgres'))}`;
  try {
    await checkDurability(databaseUrl);
    if (!hasAutovacuum) {
      await query(databaseUrl, 'alter system set autovacuum = off');
      await query(databaseUrl, 'select pg_reload_conf()');
    }
    const community = await createCommunity(service.url);
    await insertData(databaseUrl, community.communityId, size);
    const { url, pid, stop } = service;
    return { url, port: Number(new URL(url).port), pid, databaseUrl, community, stop };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Creates a data directory with seeds. Returns the variables that name them. */
export async function createDataDirectory(directory: string): Promise<NodeJS.ProcessEnv> {
  await mkdir(directory);
  const seedFiles = {
    BADGE_ISSUER_SEED_FILE: join(directory, 'issuer-seed'),
    BADGE_HOLDER_SEED_FILE: join(directory, 'holder-seed'),
  };
  for (const file of Object.values(seedFiles)) await writeFile(file, randomBytes(32), { mode: 0o600 });
  return { BADGE_DATA_DIR: directory, ...seedFiles };
}

export async function checkDurability(databaseUrl: string): Promise<void> {
  const settings = await query<{ name: string; setting: string }>(
    databaseUrl,
    "select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')",
  );
  const off = settings.filter(({ setting }) => setting !== 'on').map(({ name }) => name);
  if (off.length > 0) throw new Error(`PostgreSQL must have these settings on: ${off.join(', ')}`);
}

/** Creates the community that the measurements use, and a key for it. */
export async function createCommunity(url: string): Promise<BenchedService['community']> {
  await post(url, '/communities', { uniqId: COMMUNITY_ID, displayId: COMMUNITY_ID, name: 'Bench' });
  return await createApiKey(url, COMMUNITY_ID);
}

/** Creates a key for a community that exists. */
export async function createApiKey(url: string, communityId: string): Promise<BenchedService['community']> {
  const { apiKey } = await post(url, `/communities/${communityId}/apiKeys`, { name: 'bench' });
  return { communityId, apiKey };
}

async function post(url: string, path: string, body: object): Promise<{ apiKey: string }> {
  const response = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path} returned ${response.status}`);
  return (await response.json()) as { apiKey: string };
}

/** Creates a token that everyone can claim, up to 1,000,000 times. Returns its id. */
export async function createOpenToken({ port, community, url }: BenchedService): Promise<number> {
  const [creation] = signCreations(1, community);
  // `request` is a whole HTTP request as bytes. `fetch` needs only its body.
  const body = creation?.request.subarray(creation.request.indexOf('\r\n\r\n') + 4);
  const accepted = await fetch(`http://127.0.0.1:${port}/v1/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${community.apiKey}`, 'Content-Type': 'application/json' },
    body: String(body),
  });
  if (accepted.status !== 202) throw new Error(`the token was refused: ${await accepted.text()}`);
  const settled = await fetch(`${url}${accepted.headers.get('Location')}?wait=30`);
  const { resourceId } = (await settled.json()) as { resourceId: number | null };
  if (resourceId === null) throw new Error('the token was not created');
  return resourceId;
}

/**
 * Waits until every operation is final. Returns when this was seen, in milliseconds since 1970. Throws after
 * two minutes.
 */
export async function waitUntilSettled(databaseUrl: string): Promise<number> {
  const deadlineMs = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    // Each `exists` uses the index of its status.
    const [row] = await query<{ isUnsettled: boolean }>(
      databaseUrl,
      `select exists (select from operations where status = 'pending')
         or exists (select from operations where status = 'processing') as "isUnsettled"`,
    );
    const nowTimestamp = performance.timeOrigin + performance.now();
    if (row?.isUnsettled === false) return nowTimestamp;
    if (performance.now() > deadlineMs) throw new Error('the operations were not settled in time');
    await wait(SETTLE_POLL_MS);
  }
}

/** Throws if an operation ended in error. Reads the whole table, so it is called after the measurements. */
export async function checkNoneFailed(databaseUrl: string): Promise<void> {
  const errors = await query<{ type: string; name: string; count: number }>(
    databaseUrl,
    `select operation_type as type, error->>'name' as name, count(*)::integer as count
     from operations where status = 'error' group by 1, 2`,
  );
  if (errors.length > 0) throw new Error(`operations ended in error: ${JSON.stringify(errors)}`);
}
