import type { NftType, Operation, Owner, Token } from '@badge/protocol';
import type { SeenOperation } from '../journal.ts';
import { toSeen } from '../load/client.ts';
import { COMMUNITY_ID } from '../load/requests.ts';
import type { System } from '../system/system.ts';

const READS_AT_ONCE = 16;
const PAGE = 1000;

/** What the API answers after the faults, each question asked of one of the processes in turn. */
export interface Answered {
  /** Null is a 404. */
  operations: Map<string, SeenOperation | null>;
  tokens: Token[];
  /** Addresses in hex, of the tokens asked for. */
  owners: Map<number, string[]>;
  nftTypeIds: Set<string>;
}

/** Reads accepted operations, all tokens and their owners through the API. */
export async function readAnswered(system: System, locations: string[]): Promise<Answered> {
  let turn = 0;
  async function get<T>(path: string): Promise<T | null> {
    turn += 1;
    const url = system.apis[turn % system.apis.length]?.url;
    const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${system.apiKey}` } });
    const json = await response.json();
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`GET ${path} answers ${response.status}: ${JSON.stringify(json)}`);
    return json as T;
  }

  const operations: Answered['operations'] = new Map();
  await forEach(locations, async (location) => {
    const operation = await get<Operation>(location);
    operations.set(location, operation && toSeen(operation));
  });

  const tokens: Token[] = [];
  for (;;) {
    const page = await get<{ data: Token[] }>(`/v1/tokens?limit=${PAGE}&offset=${tokens.length}`);
    tokens.push(...(page?.data ?? []));
    if ((page?.data.length ?? 0) < PAGE) break;
  }

  const owners: Answered['owners'] = new Map();
  await forEach(tokens, async ({ tokenId }) => {
    const page = await get<{ data: Owner[] }>(`/v1/tokens/${tokenId}/owners?limit=${PAGE}`);
    owners.set(
      Number(tokenId),
      (page?.data ?? []).map(({ address }) => address.slice(2).toLowerCase()),
    );
  });
  const types = await get<{ data: NftType[] }>(`/v1/communities/${COMMUNITY_ID}/nftTypes?limit=${PAGE}`);
  return { operations, tokens, owners, nftTypeIds: new Set(types?.data.map(({ nftTypeId }) => nftTypeId)) };
}

async function forEach<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  async function run(): Promise<void> {
    for (const item of queue) await work(item);
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, run));
}
