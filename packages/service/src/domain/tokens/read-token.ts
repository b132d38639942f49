import type { CustomAttribute, Token } from '@badge/protocol';
import type { Context, Settings } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import {
  findLimitedToken,
  LIMITED_TOKEN_BYTES,
  TOKEN_COLUMNS,
  type TokenRow,
  type TokenSummaryRow,
} from '../../storage/tokens.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { parseTokenId } from '../ids.ts';
import { extensionOf, isVideo } from '../nft-types/rules.ts';
import type { Reader } from '../reader.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRows } from './read-token-rows.ts';

/** Reads the columns of a token that most actions need, by its id in decimal digits. */
export async function readTokenRow(context: Context, tokenId: string): Promise<TokenSummaryRow> {
  const id = parseTokenId(tokenId);
  const row = id === null ? undefined : await context.lookUps.findToken(id);
  if (row === undefined) throw tokenNotFound();
  return row;
}

/** Reads a whole token's row by its id in decimal digits. */
export async function readWholeTokenRow(
  context: Context,
  reader: Reader,
  tokenId: string,
): Promise<TokenRow> {
  const id = parseTokenId(tokenId);
  if (id === null) throw tokenNotFound();
  // A list of one token, because `readTokenRows` reads a large token within the limits of the reader.
  // `listSizes` is only called for long lists.
  const token = {
    limit: 1,
    columns: TOKEN_COLUMNS,
    listSizes: async () => [{ token_id: id, max_bytes: LIMITED_TOKEN_BYTES }],
    listItems: () => findLimitedToken(context.database, id),
  };
  const { value: piece } = await readTokenRows(context, reader, token).next();
  const row = piece?.items[0];
  if (row === undefined) throw tokenNotFound();
  return row;
}

/**
 * Reads such columns of a token that is to be changed. Throws if the caller may not act for its community, or
 * if another token has replaced it. Null: a caller without a credential.
 */
export async function readWritableToken(
  context: Context,
  caller: Caller | null,
  tokenId: string,
): Promise<TokenSummaryRow> {
  const token = await readTokenRow(context, tokenId);
  await checkWritable(context, caller, token);
  return token;
}

async function checkWritable(context: Context, caller: Caller | null, token: TokenSummaryRow): Promise<void> {
  if (caller !== null) await checkMayActFor(context, caller, token.community_id);
  checkNotReplaced(token);
}

/**
 * Runs an action that gets the columns of a token, and reads what belongs to the token after them. If the
 * action is refused, and the token was replaced between the two reads, it runs again. `isRefused` tells it of
 * a result, for an action that does not throw.
 */
export async function withTokenRow<T>(
  context: Context,
  tokenId: string,
  action: (token: TokenSummaryRow) => Promise<T>,
  isRefused: (result: T) => boolean = () => false,
): Promise<T> {
  const token = await readTokenRow(context, tokenId);
  const run = action(token);
  const mayBeLate = await run.then(isRefused, (error: unknown) => error instanceof Refusal);
  if (!mayBeLate) return await run;
  const current = await readTokenRow(context, tokenId);
  const wasReplaced =
    current.replaced_by_token_id !== token.replaced_by_token_id ||
    current.former_token_ids.length !== token.former_token_ids.length;
  return await (wasReplaced ? action(current) : run);
}

/** As `withTokenRow`, for an action that changes the token. Throws as `readWritableToken` does. */
export async function withWritableToken<T>(
  context: Context,
  caller: Caller | null,
  tokenId: string,
  action: (token: TokenSummaryRow) => Promise<T>,
): Promise<T> {
  return await withTokenRow(context, tokenId, async (token) => {
    await checkWritable(context, caller, token);
    return await action(token);
  });
}

/** Throws if another token has replaced this one. */
export function checkNotReplaced({ replaced_by_token_id: id }: Pick<TokenRow, 'replaced_by_token_id'>): void {
  if (id !== null) throw tokenReplaced(id);
}

/** Returns the id of the token, or of the one that has replaced it. */
export function currentIdOf(token: Pick<TokenRow, 'token_id' | 'replaced_by_token_id'>): number {
  return token.replaced_by_token_id ?? token.token_id;
}

export function tokenReplaced(replacedByTokenId: number): Refusal {
  return new Refusal(
    'TokenReplaced',
    `The token was replaced by token ${replacedByTokenId}, which everybody has instead. Use this one.`,
    { replacedByTokenId },
  );
}

export function tokenNotFound(): Refusal {
  return new Refusal('TokenNotFound', 'There is no token with this id.');
}

/** Reads one token by its id in decimal digits. */
export async function readToken(context: Context, reader: Reader, tokenId: string): Promise<Token> {
  return toToken(context.settings, await readWholeTokenRow(context, reader, tokenId));
}

/** Reads one token by its id in decimal digits; if another one has replaced it, this one. */
export async function readCurrentToken(context: Context, reader: Reader, tokenId: string): Promise<Token> {
  const token = await readToken(context, reader, tokenId);
  const { replacedByTokenId } = token;
  return replacedByTokenId === null ? token : await readToken(context, reader, String(replacedByTokenId));
}

export function toToken(settings: Settings, row: TokenRow): Token {
  return {
    tokenId: row.token_id,
    headline: row.headline,
    description: row.description,
    startDateTimestamp: row.start_timestamp,
    endDateTimestamp: row.end_timestamp,
    links: row.links,
    communityId: row.community_id,
    nftTypeId: row.nft_type_id,
    customAttributes: toCustomAttributes(row.custom_attributes),
    criteria: row.criteria,
    claimableFromTimestamp: row.claimable_from_timestamp,
    validUntilTimestamp: row.valid_until?.getTime() ?? null,
    validityDays: row.validity_days,
    createdByAddress: toChecksumAddress(row.creator),
    createdAtTimestamp: row.created_at.getTime(),
    imageUrl: toTokenUrls(settings, row).imageUrl,
    claimabilityAttributes: {
      isSignatureRequired: row.is_signature_required,
      isAllowlistRequired: row.is_allowlist_required,
      totalClaimCount: row.total_claim_count,
      remainingClaimCount: row.remaining_claim_count,
      expirationTimestamp: row.expiration_timestamp,
    },
    claimedCount: countClaims(row),
    contributorCount: row.contributor_count,
    recipientCount: row.recipient_count,
    isHidden: row.is_hidden,
    replacedByTokenId: row.replaced_by_token_id,
    importedFrom: toImportedFrom(row),
  };
}

/** Where an imported token is from. Null: it was created here. */
export function toImportedFrom({
  imported_service: service,
  imported_id: id,
  imported_url: url,
  imported_at: importedAt,
}: Pick<
  TokenRow,
  'imported_service' | 'imported_id' | 'imported_url' | 'imported_at'
>): Token['importedFrom'] {
  return service === null || id === null || importedAt === null
    ? null
    : { service, id, url, importedAtTimestamp: importedAt.getTime() };
}

function countClaims({ claimed_count, total_claim_count, remaining_claim_count }: TokenRow): number {
  return claimed_count ?? (total_claim_count ?? 0) - (remaining_claim_count ?? 0);
}

/**
 * The URLs of a token's picture. `imageUrl` is always an image. `assetUrl` is the video if the NFT type is a
 * video.
 */
export function toTokenUrls(
  { imageUrl }: Pick<Settings, 'imageUrl'>,
  token: { token_id: number; asset_content_type: string | null },
): { imageUrl: string; assetUrl: string } {
  const contentType = token.asset_content_type ?? 'image/png';
  const base = `${imageUrl}/token/${token.token_id}`;
  const assetUrl = `${base}.${extensionOf(contentType)}`;
  return { imageUrl: isVideo(contentType) ? `${base}.png` : assetUrl, assetUrl };
}

/** Drops unknown fields, and puts the three known ones in a fixed order. */
export function toCustomAttributes(attributes: CustomAttribute[]): CustomAttribute[] {
  return attributes.map(({ fieldName, type, value }) => ({ fieldName, type, value }));
}
