import { setTimeout as wait } from 'node:timers/promises';
import type { ClaimLink, NftType, Operation, Owner, Token } from '@badge/protocol';
import { loadAddress } from '../attacks/attacked-service.ts';
import { UNJOURNALED_COMMUNITIES } from '../attacks/callers.ts';
import { type SeenOperation, toSeenOperation } from '../journal.ts';
import { COMMUNITY_ID } from '../load/requests.ts';
import type { History } from './history.ts';

const CONCURRENT_READS = 16;
const PAGE_SIZE = 1000;

/** What the API returns after the faults. One process after another is read. */
export interface ApiState {
  /** By location; null for a 404. */
  operations: Map<string, SeenOperation | null>;
  tokens: Token[];
  /** By token id: addresses in hex, without 0x. */
  owners: Map<number, string[]>;
  nftTypeIds: Set<string>;
  /** By id. The address is in hex, without 0x. */
  claimLinks: Map<string, { status: string; claimingAddress: string | null; claimCount: number }>;
}

/** What `readApiState` needs of a system. */
export interface ReadSystem {
  apis: { url: string | undefined }[];
  apiKey: string;
}

/**
 * Reads the accepted operations, all visible tokens of journaled communities and their owners, the claim
 * links of the tokens for which the load created some, and the NFT types.
 */
export async function readApiState(system: ReadSystem, { accepted, links }: History): Promise<ApiState> {
  let requests = 0;
  async function get<T>(path: string): Promise<T | null> {
    requests += 1;
    const url = system.apis[requests % system.apis.length]?.url;
    const response = await fetch(`${url}${path}`, {
      headers: { Authorization: `Bearer ${system.apiKey}`, 'X-Forwarded-For': loadAddress(requests) },
    });
    const json = await response.json();
    // If PostgreSQL loses commits (a mutant), the id of a lost token can belong to a token of another
    // community later. The claim links of that token return 403.
    if (response.status === 404 || response.status === 403) return null;
    if (response.status === 429) {
      // Attacks run with rate limits, and a long page counts as several requests.
      await wait(Number(response.headers.get('retry-after')) * 1_000);
      return await get(path);
    }
    if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${JSON.stringify(json)}`);
    return json as T;
  }

  const operations: ApiState['operations'] = new Map();
  await forEachConcurrently([...accepted.keys()], async (location) => {
    const operation = await get<Operation>(location);
    operations.set(location, operation && toSeenOperation(operation));
  });

  const tokens: Token[] = [];
  let listed = 0;
  for (;;) {
    const page = await get<{ data: Token[] }>(`/v1/tokens?limit=${PAGE_SIZE}&offset=${listed}`);
    const { data = [] } = page ?? {};
    tokens.push(...data.filter(({ communityId }) => !UNJOURNALED_COMMUNITIES.includes(communityId)));
    listed += data.length;
    if (data.length < PAGE_SIZE) break;
  }

  const owners: ApiState['owners'] = new Map();
  await forEachConcurrently(tokens, async ({ tokenId }) => {
    const page = await get<{ data: Owner[] }>(`/v1/tokens/${tokenId}/owners?limit=${PAGE_SIZE}`);
    owners.set(
      Number(tokenId),
      (page?.data ?? []).map(({ address }) => address.slice(2).toLowerCase()),
    );
  });
  const claimLinks: ApiState['claimLinks'] = new Map();
  const linkedTokenIds = new Set([...links.values()].map(({ tokenId }) => tokenId));
  await forEachConcurrently([...linkedTokenIds], async (tokenId) => {
    const page = await get<{ data: ClaimLink[] }>(`/v1/tokens/${tokenId}/claimLinks?limit=${PAGE_SIZE}`);
    for (const { claimLinkId, status, claimingAddress, claimCount } of page?.data ?? [])
      claimLinks.set(claimLinkId, {
        status,
        claimCount,
        claimingAddress: claimingAddress?.slice(2).toLowerCase() ?? null,
      });
  });
  const types = await get<{ data: NftType[] }>(`/v1/communities/${COMMUNITY_ID}/nftTypes?limit=${PAGE_SIZE}`);
  const nftTypeIds = new Set(types?.data.map(({ nftTypeId }) => nftTypeId));
  return { operations, tokens, owners, nftTypeIds, claimLinks };
}

async function forEachConcurrently<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  async function run(): Promise<void> {
    for (const item of queue) await work(item);
  }
  await Promise.all(Array.from({ length: CONCURRENT_READS }, run));
}
