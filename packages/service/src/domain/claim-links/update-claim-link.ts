import type { ClaimLink, UpdateClaimLinkBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import {
  type ClaimLinkRow,
  findClaimLinkRow,
  updateClaimLink as updateStored,
} from '../../storage/claim-links.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { isUuid } from '../ids.ts';
import { lockWritableToken } from '../lock-token.ts';
import { checkNoErrors, invalidRequest } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { toClaimLink } from './list-claim-links.ts';
import { claimLinkNotFound, STARTS_TOO_LATE } from './rules.ts';

/** Pauses or resumes a room link, or changes its number of claims, its start or its end. */
export async function updateClaimLink(
  context: Context,
  caller: Caller,
  { tokenId, claimLinkId, body }: { tokenId: string; claimLinkId: string; body: UpdateClaimLinkBody },
): Promise<ClaimLink> {
  const { token_id, community_id } = await readWritableToken(context, caller, tokenId);
  if (!isUuid(claimLinkId)) throw claimLinkNotFound();
  return await context.transaction(async (tx) => {
    // While the token is locked, no claim can use the link.
    await lockWritableToken(tx, token_id);
    const id = { tokenId: token_id, claimLinkId };
    const link = await findClaimLinkRow(tx, id);
    if (link === undefined) throw claimLinkNotFound();
    const change = { communityId: community_id, claimLinkId, ...applyTo(link, body) };
    if (!(await updateStored(tx, toActor(caller), change))) {
      await checkMayStillWrite(tx, caller, community_id);
    }
    const changed = await findClaimLinkRow(tx, id);
    if (changed === undefined) throw new Error(`claim link ${claimLinkId} no longer exists`);
    return toClaimLink(changed);
  });
}

function applyTo(link: ClaimLinkRow, body: UpdateClaimLinkBody) {
  if (link.max_claims === null || link.expires_at === null) throw wrongLink('is a link for one claim');
  if (link.status === 'revoked') throw wrongLink('is revoked');
  const { isPaused = link.paused_at !== null, maxClaims = link.max_claims } = body;
  const startsAt = body.startsAtTimestamp === undefined ? link.starts_at : toDate(body.startsAtTimestamp);
  const expiresAt = toDate(body.expiresAtTimestamp ?? null) ?? link.expires_at;
  checkNoErrors([
    ...(maxClaims < link.claim_count
      ? [{ pointer: '/maxClaims', detail: `is below the ${link.claim_count} claims that were made` }]
      : []),
    ...(startsAt !== null && startsAt >= expiresAt ? [STARTS_TOO_LATE] : []),
  ]);
  return { isPaused, maxClaims, startsAt, expiresAt };
}

function wrongLink(what: string) {
  return invalidRequest([{ parameter: 'claimLinkId', detail: `${what}, which cannot be changed` }]);
}

function toDate(timestamp: number | null): Date | null {
  return timestamp === null ? null : new Date(timestamp);
}
