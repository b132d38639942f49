import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BadgeService, startBadge } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { newWallet } from '@badge/test-support/signing';
import { inject } from 'vitest';
import { type BadgeClient, createBadgeClient, type TokenToSign } from '../../../sdk/src/index.ts';

/** How to reach a service. */
export interface SiteAccess {
  /** `http://localhost:PORT`; a restart does not change it. */
  url: string;
  databaseUrl: string;
  /** The key of the community `demo`. */
  apiKey: string;
  /** The operator's key. */
  adminKey: string;
}

/** A service with the pages, as a process with a database. */
export interface Site extends SiteAccess {
  /** A client with `apiKey`. */
  badge: BadgeClient;
  /** A client with `adminKey`. */
  operator: BadgeClient;
  /**
   * Creates a token of the community `demo`, open for ten claims unless `fields` say otherwise. Returns its
   * id.
   */
  createToken(fields?: Partial<TokenToSign>): Promise<number>;
}

/** A site of one test file. */
export interface OwnSite extends Site {
  /** Stops the process: with SIGTERM, which lets it finish its requests, or with SIGKILL, which does not. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts the process again after `stop`. */
  start(): Promise<void>;
  /** Stops the process, and removes its files. */
  remove(): Promise<void>;
}

/** The site of the run, for test files that only use tokens and communities that they create themselves. */
export function sharedSite(): Site {
  return connectTo(inject('site'));
}

/** Starts a service for a test file. Call `remove` when the tests of the file are done. */
export async function startSite(env: Record<string, string> = {}): Promise<OwnSite> {
  const { access, stop, start, remove } = await startProcess(await createDatabase(), env);
  return { ...connectTo(access), stop, start, remove };
}

function connectTo(access: SiteAccess): Site {
  const { url, apiKey, adminKey } = access;
  const badge = createBadgeClient({ url, apiKey });
  return {
    ...access,
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
  };
}

/** Starts the process of a site on this database. */
export async function startProcess(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<{ access: SiteAccess } & Pick<OwnSite, 'stop' | 'start' | 'remove'>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-site-'));
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

  async function stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const stopped = service;
    service = null;
    if (signal === 'SIGTERM') await stopped?.stop();
    else await stopped?.end('SIGKILL');
  }

  return {
    access: { url: `http://localhost:${port}`, databaseUrl, apiKey, adminKey },
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
