import { type CommunityToken, isText, LIMITS } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listCommunityTokens as listTokenRows } from '../../storage/token-listings.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { toCustomAttributes } from '../tokens/to-custom-attributes.ts';
import { toTokenUrls } from '../tokens/to-token-urls.ts';
import { readCommunityRow } from './read-community-row.ts';

interface CommunityTokensFilter {
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
  headline: string | undefined;
  /** Custom attributes that a token must have, by name, each with the text of its value. */
  attributes: Record<string, string>;
}

/** Lists a community's tokens by id: those not hidden or, for whoever may act for it, the hidden ones. */
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
  const rows = await listTokenRows(context.database, {
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

// A value's text is how JSON writes it, a string's without its quotes.
function valuesWrittenAs(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? [text, number] : [text];
}
