import type { BadgeClient, Operation } from '@badge/sdk';
import { type Loaded, useLoaded } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';

/** A badge that an entry of the log is about. */
export interface LoggedBadge {
  tokenId: number;
  headline: string;
}

const MAX_NAMES = 1_000;

// The entries of a page are often about the same badges. These texts never change, so they are read only once.
const operations = new Map<string, Promise<Operation>>();
const headlines = new Map<number, Promise<string>>();

/** Reads the badge that an operation has made or changed, and whether the operation has failed. */
export function useOperation(operationId: string): Loaded<{ badge: LoggedBadge | null; isFailed: boolean }> {
  const { badge } = useSession();
  return useLoaded(`operation/${operationId}`, async () => {
    const { status, resourceId } = await once(operations, operationId, () =>
      badge.getOperation({ operationId }),
    );
    // It may be settled when the log is opened again.
    if (status !== 'success' && status !== 'error') operations.delete(operationId);
    const tokenId = resourceId === null ? null : Number(resourceId);
    return {
      badge: tokenId === null ? null : { tokenId, headline: await readHeadline(badge, tokenId) },
      isFailed: status === 'error',
    };
  });
}

/** Reads the headline of a badge. */
export function useHeadline(tokenId: number): Loaded<string> {
  const { badge } = useSession();
  return useLoaded(`headline/${tokenId}`, () => readHeadline(badge, tokenId));
}

/** Reads the names of the API keys that are not revoked, of the webhooks and of the designs, by their ids. Only owners may read the keys and the webhooks. */
export function useLogNames(): ReadonlyMap<string, string> {
  const { badge, communityId, may } = useSession();
  const names = useLoaded(`log-names/${communityId}`, async (signal) => {
    const part = { communityId, limit: MAX_NAMES };
    const [keys, webhooks, designs] = await Promise.all([
      may('owner') ? badge.listApiKeys(part, { signal }) : null,
      may('owner') ? badge.listWebhooks(part, { signal }) : null,
      badge.listNftTypes(part, { signal }),
    ]);
    return new Map([
      ...(keys?.data ?? []).map(({ apiKeyId, name }) => [apiKeyId, name] as const),
      ...(webhooks?.data ?? []).map(({ webhookId, name }) => [webhookId, name] as const),
      ...designs.data.map(({ nftTypeId, name }) => [nftTypeId, name] as const),
    ]);
  });
  return names.status === 'loaded' ? names.value : NO_NAMES;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

async function readHeadline(badge: BadgeClient, tokenId: number): Promise<string> {
  return await once(headlines, tokenId, async () => (await badge.getToken({ tokenId })).headline);
}

function once<Key, Value>(
  known: Map<Key, Promise<Value>>,
  key: Key,
  read: () => PromiseLike<Value>,
): Promise<Value> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = Promise.resolve(read());
  known.set(key, value);
  // A failed read is repeated when the value is needed again.
  value.catch(() => known.delete(key));
  return value;
}
