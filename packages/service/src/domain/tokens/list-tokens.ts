import { type CommunityToken, isText, LIMITS, type Token, type WalletToken } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { isAddress, parseAddress } from '../../signatures/address.ts';
import {
  listCommunityTokens as listCommunityTokenRows,
  listTokens as listTokenRows,
  listWalletTokens as listWalletTokenRows,
} from '../../storage/token-listings.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { invalidRequest } from '../refusal.ts';
import { toCustomAttributes, toToken, toTokenUrls } from './read-token.ts';

/** Lists the tokens that are not hidden, by id. */
export async function listTokens(
  context: Context,
  page: { limit: number; offset: number; order: 'asc' | 'desc' },
): Promise<Token[]> {
  const rows = await listTokenRows(context.database, page);
  return rows.map((row) => toToken(context.settings, row));
}

interface CommunityTokensFilter {
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
  headline: string | undefined;
  /** Custom attributes that a token must have: names, and the text of their values. */
  attributes: Record<string, string>;
}

/** Lists a community's tokens by id. A caller that may act for it can list the hidden ones instead. */
export async function listCommunityTokens(
  context: Context,
  communityId: string,
  hidden: { isHidden: boolean; caller: Caller } | null,
  { attributes, ...filter }: CommunityTokensFilter,
): Promise<CommunityToken[]> {
  await readCommunityRow(context, communityId);
  if (hidden !== null) checkMayActFor(hidden.caller, communityId);
  const wanted = Object.entries(attributes);
  if (wanted.length > LIMITS.customAttributes || !wanted.every(([name]) => isText(name))) return [];
  const rows = await listCommunityTokenRows(context.database, {
    ...filter,
    communityId,
    isHidden: hidden?.isHidden ?? false,
    attributes: wanted.map(([fieldName, text]) =>
      valuesWrittenAs(text).map((value) => ({ fieldName, value })),
    ),
  });
  return rows.map((row) => ({
    tokenId: row.token_id,
    headline: row.headline,
    assetUrl: toTokenUrls(context.settings, row).assetUrl,
    createdAtTimestamp: row.created_at.toISOString(),
    customAttributes: toCustomAttributes(row.custom_attributes),
  }));
}

// A text in the query has no type: `5` matches the string "5" and the number 5.
function valuesWrittenAs(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? [text, number] : [text];
}

interface WalletTokensFilter {
  limit: number;
  offset: number;
  claimStatus: 'claimed' | 'unclaimed' | undefined;
  communityId: string | undefined;
}

/** Lists the tokens that a wallet holds or may claim from an allowlist, newest token first. */
export async function listWalletTokens(
  context: Context,
  address: string,
  filter: WalletTokensFilter,
): Promise<WalletToken[]> {
  if (!isAddress(address)) {
    throw invalidRequest([{ parameter: 'address', detail: 'must be 0x and 40 hex digits' }]);
  }
  const rows = await listWalletTokenRows(context.database, { ...filter, address: parseAddress(address) });
  return rows.map((row) => ({
    badgeTokenId: row.token_id,
    headline: row.headline,
    assetUrl: toTokenUrls(context.settings, row).assetUrl,
    createdAt: row.created_at.toISOString(),
    claimStatus: row.claim_status,
    communityId: row.community_id,
  }));
}
