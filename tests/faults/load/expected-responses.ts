import type {
  CheckedOwners,
  Community,
  CommunityToken,
  Owner,
  OwnerState,
  Token,
  TokenMetadata,
  WalletToken,
} from '@badge/protocol';

/**
 * The value that a property must have. Each change makes a new object, so a value that changed and changed
 * back is another object. Null while the value is unknown, because a request that changes it is running or
 * may be executed late.
 */
export type Expected<Value> = { readonly value: Value } | null;

/** What every response about a token must show. Each change makes a new object. */
export interface ExpectedToken {
  readonly tokenId: number;
  readonly communityId: string;
  readonly communityName: Expected<string>;
  /** Whether lists contain the token: it is not hidden. */
  readonly isListed: Expected<boolean>;
  readonly remainingAtMost: number;
  /** An address with its checksum. */
  readonly wallet: string;
  /** Whether the wallet holds the token. */
  readonly isHeld: Expected<boolean>;
}

/** A property of a response, compared with what was expected. */
export interface Comparison {
  isCurrent: boolean;
  /** What the response shows, and what was expected. */
  text: string;
}

const PAGE_TOKENS = 100;
// Offsets do not count hidden tokens. So the page begins this many ids before the token, and contains it even
// if as many older tokens are hidden.
const TOKENS_BEFORE = 50;

export const NEWEST_TOKENS = `/v1/tokens?limit=${PAGE_TOKENS}&order=desc`;

/** The paths of the responses that show a token or its community. */
export const VIEWS = {
  token: ({ tokenId }) => `/v1/tokens/${tokenId}`,
  metadata: ({ tokenId }) => `/metadata/${tokenId}`,
  owners: ({ tokenId }) => `/v1/tokens/${tokenId}/owners`,
  checkedOwners: () => '/v1/checkOwners',
  owner: ({ tokenId, wallet }) => `/v1/tokens/${tokenId}/owners/${wallet}`,
  credential: ({ tokenId, wallet }) => `/v1/tokens/${tokenId}/credentials/${wallet}.json`,
  walletTokens: ({ wallet }) => `/v1/wallets/${wallet}/tokens`,
  community: ({ communityId }) => `/v1/communities/${communityId}`,
  communityTokens: ({ communityId }) => `/v1/communities/${communityId}/tokens?limit=${PAGE_TOKENS}`,
  tokenPage: ({ tokenId }) =>
    `/v1/tokens?limit=${PAGE_TOKENS}&offset=${Math.max(0, tokenId - 1 - TOKENS_BEFORE)}`,
  newestTokens: () => NEWEST_TOKENS,
} satisfies Record<string, (expected: ExpectedToken) => string>;

export type View = keyof typeof VIEWS;

/** The method and the body of the request for a view. */
export function requestOf(view: View, { tokenId, wallet }: ExpectedToken): RequestInit {
  if (view !== 'checkedOwners') return {};
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ addresses: [wallet], tokenIds: [tokenId] }),
  };
}

/**
 * Compares a response with what was expected when the request was sent (`before`) and when the response
 * arrived (`after`). Ignores a property that changed in between: the response may show the old or the new
 * value. A count can only decrease, so it is always compared with that of `before`.
 */
export function compareResponse(
  view: View,
  { status, body }: { status: number; body: unknown },
  { before, after }: { before: ExpectedToken; after: ExpectedToken },
): Comparison[] {
  const { tokenId, wallet } = before;
  if (view === 'owner') {
    // Before its first claim, the wallet is unknown (404).
    const isHeld = status === 200 && (body as OwnerState).status === 'held';
    return compare('is held', isHeld, valueDuring(before.isHeld, after.isHeld));
  }
  if (view === 'credential') {
    // 404 before the first claim, and 410 after the wallet has lost the token.
    const { error, issuer } = body as { error?: string; issuer?: { name: string } };
    const name = valueDuring(before.communityName, after.communityName);
    return [
      ...compare('has a credential', error === undefined, valueDuring(before.isHeld, after.isHeld)),
      ...(issuer === undefined ? [] : compare('issuer.name', issuer.name, name)),
    ];
  }
  if (status !== 200) return compare('the status', status, 200);
  switch (view) {
    case 'token':
      return compareCount(body as Token, before);
    case 'metadata':
      return compare('properties.tokenId', (body as TokenMetadata).properties.tokenId, tokenId);
    case 'community': {
      const name = valueDuring(before.communityName, after.communityName);
      return compare('name', (body as Community).name, name);
    }
    case 'owners': {
      const { data } = body as { data: Owner[] };
      const hasWallet = data.some(({ address }) => address === wallet);
      return compare('has the wallet', hasWallet, valueDuring(before.isHeld, after.isHeld));
    }
    case 'checkedOwners': {
      const { items } = body as CheckedOwners;
      const isHeld = items.some((item) => item.address === wallet && item.tokenIds.includes(tokenId));
      return compare('holds the token', isHeld, valueDuring(before.isHeld, after.isHeld));
    }
    case 'walletTokens': {
      const { data } = body as { data: WalletToken[] };
      const hasToken = data.some(({ badgeTokenId }) => badgeTokenId === tokenId);
      return compare('has the token', hasToken, valueDuring(before.isHeld, after.isHeld));
    }
    case 'communityTokens':
      return compareList((body as { data: CommunityToken[] }).data, { before, after });
    case 'tokenPage':
    case 'newestTokens': {
      const { data } = body as { data: Token[] };
      const shown = data.find((token) => token.tokenId === tokenId);
      return [
        ...compareList(data, { before, after }),
        ...(shown === undefined ? [] : compareCount(shown, before)),
      ];
    }
  }
}

function compareList(
  page: { tokenId: number }[],
  { before, after }: { before: ExpectedToken; after: ExpectedToken },
): Comparison[] {
  const hasToken = page.some(({ tokenId }) => tokenId === before.tokenId);
  // Newer tokens may have moved the token out of a page in descending order.
  const isInRange = page.length < PAGE_TOKENS || page.some(({ tokenId }) => tokenId <= before.tokenId);
  return isInRange ? compare('has the token', hasToken, valueDuring(before.isListed, after.isListed)) : [];
}

/**
 * The expected value, if it is the same `before` and `after`; undefined if it has changed in between, even
 * back.
 */
function valueDuring<Value>(before: Expected<Value>, after: Expected<Value>): Value | undefined {
  return before === after ? before?.value : undefined;
}

function compare<Value>(property: string, shown: Value, expected: Value | undefined): Comparison[] {
  if (expected === undefined) return [];
  return [{ isCurrent: shown === expected, text: `${property}: ${shown}, expected ${expected}` }];
}

function compareCount({ claimabilityAttributes }: Token, { remainingAtMost }: ExpectedToken): Comparison[] {
  const remaining = claimabilityAttributes.remainingClaimCount;
  const isCurrent = remaining !== null && remaining <= remainingAtMost;
  return [{ isCurrent, text: `remainingClaimCount: ${remaining}, expected at most ${remainingAtMost}` }];
}
