import { BadgeApiError, type BadgeClient, type Token } from '@badge/sdk';
import { emptyFields, type Fields } from './draft.ts';
import { fromEnd, fromStart, fromTimestamp } from './typed-times.ts';

/** The badge was signed by somebody else than who signs its correction. */
export class OtherCreatorError extends Error {
  override readonly name = 'OtherCreatorError';
}

/** The fields of a badge that is corrected. */
export function toFields(token: Token): Fields {
  const { isAllowlistRequired, totalClaimCount, expirationTimestamp } = token.claimabilityAttributes;
  return {
    ...emptyFields(token.nftTypeId),
    headline: token.headline,
    description: token.description,
    criteria: token.criteria ?? '',
    who: isAllowlistRequired ? 'list' : 'everyone',
    count: isAllowlistRequired ? '' : String(totalClaimCount),
    links: [...token.links],
    start: fromTimestamp(token.startDateTimestamp),
    end: fromTimestamp(token.endDateTimestamp),
    claimFrom: fromStart(token.claimableFromTimestamp),
    claimUntil: fromEnd(expirationTimestamp),
    validUntil: fromEnd(token.validUntilTimestamp),
    validityDays: token.validityDays === null ? '' : String(token.validityDays),
    attributes: token.customAttributes.map(({ fieldName, type, value }) => ({
      name: fieldName,
      type,
      value: type === 'date' && typeof value === 'number' ? new Date(value).toISOString() : String(value),
    })),
  };
}

/** The names of the fields that differ. */
export function listChanges(before: Fields, after: Fields): (keyof Fields)[] {
  return (Object.keys(before) as (keyof Fields)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

/** Moves everybody from the old badge to the corrected one. Can run again after a crash. */
export async function replaceToken(
  badge: BadgeClient,
  { oldTokenId: tokenId, newTokenId: replacementTokenId }: { oldTokenId: number; newTokenId: number },
  signal: AbortSignal,
): Promise<void> {
  const idempotencyKey = `correct-${tokenId}-${replacementTokenId}`;
  try {
    const replacement = await badge.replaceToken({ tokenId, replacementTokenId }, { idempotencyKey, signal });
    await replacement.wait({ signal });
  } catch (error) {
    // The service has forgotten the key, but not the replacement.
    const isDone = error instanceof BadgeApiError && error.replacedByTokenId === replacementTokenId;
    if (!isDone) throw error;
  }
}
