import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BadgeService, startBadge } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { newWallet } from '@badge/test-support/signing';
import { type BadgeClient, createBadgeClient, type TokenToSign } from '../../../sdk/src/index.ts';

/** A service with the pages, as a process with a database of its own. */
export interface Site {
  /** `http://localhost:PORT`; a restart does not change it. */
  url: string;
  databaseUrl: string;
  /** The key of the community `demo`. */
  apiKey: string;
  /** The operator's key. */
  adminKey: string;
  /** A client with `apiKey`. */
  badge: BadgeClient;
  /** A client with `adminKey`. */
  operator: BadgeClient;
  /** Creates a token of the community `demo`, open for ten claims unless `fields` say otherwise. Returns its id. */
  createToken(fields?: Partial<TokenToSign>): Promise<number>;
  /** Stops the process: with SIGTERM, which lets it finish its requests, or with SIGKILL, which does not. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts the process again after `stop`. */
  start(): Promise<void>;
}

/** Starts a service for a test file. Call `remove` when the tests of the file are done. */
export async function startSite(
  env: Record<string, string> = {},
): Promise<Site & { remove(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-site-'));
  const databaseUrl = await createDatabase();
  const apiKey = `badge_sandbox_${randomBytes(24).toString('hex')}`;
  const adminKey = `badge_admin_${randomBytes(24).toString('hex')}`;
  const options = {
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: dataDir,
    BADGE_DEMO_API_KEY: apiKey,
    BADGE_ADMIN_KEY: adminKey,
    ...env,
  };
  let service: BadgeService | null = await startBadge(options);
  const { port } = new URL(service.url);
  const url = `http://localhost:${port}`;
  const badge = createBadgeClient({ url, apiKey });

  async function stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const stopped = service;
    service = null;
    if (signal === 'SIGTERM') await stopped?.stop();
    else await stopped?.end('SIGKILL');
  }

  return {
    url,
    databaseUrl,
    apiKey,
    adminKey,
    badge,
    operator: createBadgeClient({ url, apiKey: adminKey }),
    createToken: async (fields = {}) => {
      const token = {
        signer: newWallet(),
        communityId: 'demo',
        headline: 'Speaker 2026',
        nftTypeId: 'defaultOrangeRed',
        // The service rejects a total for an allowlisted token.
        ...(fields.contributors === undefined ? { totalClaimCount: 10 } : {}),
        ...fields,
      };
      const creation = await badge.createToken(token as TokenToSign);
      return (await creation.wait()).tokenId;
    },
    stop,
    start: async () => {
      service = await startBadge({ ...options, PORT: port });
    },
    remove: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
