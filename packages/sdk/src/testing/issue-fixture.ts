import { newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll } from 'vitest';
import { startTestService, type TestService } from '../../../service/src/testing/services.ts';
import { type BadgeClient, createBadgeClient, type IssueResult, type NewToken } from '../index.ts';

export const WRONG_CHECKSUM = '0x52908400098527886E0F7030069857D2E4169Ee7';
const FIELDS = { communityId: 'demo', headline: 'Speaker 2026', nftTypeId: 'defaultOrangeRed' };
/** The first contributor of each allowlisted token. */
export const FIRST = 'first@example.org';
export const creator = newWallet();

export async function readAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const statusesOf = (results: IssueResult[]) => results.map(({ status }) => status);

/**
 * Starts a service before the tests, and stops it after. Returns a client, and what it has stored for tokens.
 */
export function issueFixture() {
  let service: TestService;
  let badge: BadgeClient;
  beforeAll(async () => {
    service = await startTestService();
    badge = createBadgeClient({ url: service.url, apiKey: service.apiKey });
  });
  afterAll(async () => await service.stop());

  async function createToken(token: Pick<NewToken, 'totalClaimCount' | 'contributors'>): Promise<number> {
    const operation = await badge.createToken({ ...FIELDS, ...token, signer: creator } as NewToken & {
      signer: typeof creator;
    });
    return (await operation.wait()).tokenId;
  }
  const createAllowlisted = () => createToken({ contributors: [FIRST] });
  const createOpen = (totalClaimCount: number) => createToken({ totalClaimCount });

  /** What the service has stored for an allowlisted token, besides its first contributor. */
  async function readAllowlist(tokenId: number) {
    const contributors = await readAll(badge.listContributors({ tokenId, limit: 1_000 }));
    const links = await readAll(badge.listClaimLinks({ tokenId, limit: 1_000 }));
    return {
      contributors: contributors.map(({ contributor }) => contributor).filter((text) => text !== FIRST),
      links: links.map(({ identifier, status }) => `${identifier} ${status}`),
      linkIds: links.map(({ claimLinkId }) => claimLinkId),
    };
  }

  return {
    get service() {
      return service;
    },
    get badge() {
      return badge;
    },
    createAllowlisted,
    createOpen,
    readAllowlist,
  };
}
