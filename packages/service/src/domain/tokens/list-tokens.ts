import {
  type CommunityToken,
  isText,
  LIMITS,
  type OwnToken,
  type Token,
  type WalletToken,
} from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, toChecksumAddress } from '../../signatures/address.ts';
import { listKeptAddressesOf } from '../../storage/kept-addresses.ts';
import type { EmailSession, WalletSession } from '../../storage/sessions.ts';
import {
  COMMUNITY_TOKEN_COLUMNS,
  listCommunityTokens as listCommunityTokenRows,
  listCommunityTokenSizes,
  listTokens as listTokenRows,
  listTokenSizes,
} from '../../storage/token-listings.ts';
import { TOKEN_COLUMNS } from '../../storage/tokens.ts';
import {
  findHeldTokenRows,
  findWalletToken,
  findWalletTokens,
  type HeldToken,
  listTokensHeldBy,
  listWalletTokenIds,
  listWalletTokens as listWalletTokenRows,
  type WalletTokenRow,
} from '../../storage/wallet-listings.ts';
import { parseAddressParameter } from '../address-errors.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { mapPieces, type Piece, type Reader, readInPieces } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { toCustomAttributes, toToken, toTokenUrls } from './read-token.ts';
import { readTokenRows } from './read-token-rows.ts';

// The largest size of an item. Its headline has up to 1,000 characters, of up to 6 bytes in JSON. The URL and
// the ids are short.
const WALLET_TOKEN_BYTES = 8 * 1024;

/** Lists the tokens that are not hidden, by id. */
export function listTokens(
  context: Context,
  reader: Reader,
  page: { limit: number; offset: number; order: 'asc' | 'desc' },
): AsyncGenerator<Piece<Token>> {
  const rows = readTokenRows(context, reader, {
    limit: page.limit,
    columns: TOKEN_COLUMNS,
    listSizes: () => listTokenSizes(context.database, page),
    listItems: () => listTokenRows(context.database, page),
  });
  return mapPieces(rows, (row) => toToken(context.settings, row));
}

interface CommunityTokensFilter {
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
  headline: string | undefined;
  /** Custom attributes that a token must have: names, and the text of their values. */
  attributes: Record<string, string>;
}

/**
 * Lists a community's tokens by id. `visibility` selects the hidden tokens or the others, and its `caller`
 * must be allowed to act for the community. If `visibility` is null, hidden tokens are left out.
 */
export async function* listCommunityTokens(
  context: Context,
  reader: Reader,
  communityId: string,
  visibility: { isHidden: boolean; caller: Caller } | null,
  { attributes, ...filter }: CommunityTokensFilter,
): AsyncGenerator<Piece<CommunityToken>> {
  await readCommunityRow(context, communityId);
  if (visibility !== null) await checkMayActFor(context, visibility.caller, communityId);
  const wanted = Object.entries(attributes);
  // No token can match: tokens do not have so many attributes, or names with NUL or a lone surrogate.
  if (wanted.length > LIMITS.customAttributes || !wanted.every(([name]) => isText(name))) return;
  const page = {
    ...filter,
    communityId,
    isHidden: visibility?.isHidden ?? false,
    attributes: wanted,
  };
  const refuseTimeout = refuseSlowRead('Use fewer filters or a smaller offset');
  const rows = readTokenRows(context, reader, {
    limit: page.limit,
    columns: COMMUNITY_TOKEN_COLUMNS,
    listSizes: () => listCommunityTokenSizes(context.database, page).catch(refuseTimeout),
    listItems: () => listCommunityTokenRows(context.database, page).catch(refuseTimeout),
  });
  yield* mapPieces(rows, (row) => ({
    tokenId: row.token_id,
    headline: row.headline,
    assetUrl: toTokenUrls(context.settings, row).assetUrl,
    // Here, unlike in a token, this field is an ISO 8601 string (docs/api.md).
    createdAtTimestamp: row.created_at.toISOString(),
    customAttributes: toCustomAttributes(row.custom_attributes),
  }));
}

interface WalletTokensFilter {
  limit: number;
  offset: number;
  claimStatus: 'claimed' | 'unclaimed' | undefined;
  communityId: string | undefined;
  tokenId: number | undefined;
}

/** Lists the tokens that a wallet holds or may claim from an allowlist, newest token first. */
export function listWalletTokens(
  context: Context,
  reader: Reader,
  address: string,
  filter: WalletTokensFilter,
): AsyncGenerator<Piece<WalletToken>> {
  const { tokenId, ...page } = { ...filter, address: parseAddressParameter(address) };
  const rows =
    tokenId === undefined
      ? readWalletPage(context, reader, page)
      : readWalletToken(context, reader, { ...page, tokenId });
  return mapPieces(rows, (row) => toWalletToken(context, row));
}

function toWalletToken({ settings }: Context, row: WalletTokenRow): WalletToken {
  return {
    badgeTokenId: row.token_id,
    headline: row.headline,
    assetUrl: toTokenUrls(settings, row).assetUrl,
    createdAt: row.created_at.toISOString(),
    claimStatus: row.claim_status,
    validUntilTimestamp: row.valid_until?.getTime() ?? null,
    isExpired: row.is_expired,
    isHiddenByOwner: row.is_hidden,
    communityId: row.community_id,
  };
}

/** Lists the tokens that somebody who has signed in has, over all communities, newest token first. */
export async function* listOwnTokens(
  context: Context,
  reader: Reader,
  session: Pick<WalletSession, 'address'> | Pick<EmailSession, 'emailHash'>,
  page: { limit: number; offset: number },
): AsyncGenerator<Piece<OwnToken>> {
  const { database } = context;
  const addresses =
    'emailHash' in session
      ? (await listKeptAddressesOf(database, session.emailHash)).map(({ address }) => address)
      : [session.address];
  const listHeld = () =>
    listTokensHeldBy(database, addresses, page).catch(refuseSlowRead('Use a smaller offset'));
  const rows = readInPieces<HeldToken, WalletTokenRow>(reader, {
    limit: page.limit,
    maxItemBytes: WALLET_TOKEN_BYTES,
    listIds: listHeld,
    listItems: async () => await findHeldTokenRows(database, await listHeld()),
    findItems: (held) => findHeldTokenRows(database, held),
  });
  yield* mapPieces(rows, (row) => ({
    ...toWalletToken(context, row),
    address: toChecksumAddress(row.address),
  }));
}

type WalletPage = Omit<WalletTokensFilter, 'tokenId'> & { address: Address };

function readWalletPage({ database }: Context, reader: Reader, page: WalletPage) {
  const refuseTimeout = refuseSlowRead('Use fewer filters or a smaller offset');
  return readInPieces<number, WalletTokenRow>(reader, {
    limit: page.limit,
    maxItemBytes: WALLET_TOKEN_BYTES,
    listIds: () => listWalletTokenIds(database, page).catch(refuseTimeout),
    listItems: () => listWalletTokenRows(database, page).catch(refuseTimeout),
    findItems: (ids) => findWalletTokens(database, page.address, ids),
  });
}

async function* readWalletToken(
  { database }: Context,
  reader: Reader,
  { tokenId, ...page }: WalletPage & { tokenId: number },
): AsyncGenerator<Piece<WalletTokenRow>> {
  const items = await reader.read(WALLET_TOKEN_BYTES, () => findWalletToken(database, page, tokenId));
  yield { items, isLast: true };
}
