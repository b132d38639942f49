import { randomBytes, randomUUID } from 'node:crypto';
import type { CreateClaimLinksBody, CreatedClaimLink, RequestError } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../../context.ts';
import { findListedIdentifiers, insertClaimLinks, type NewClaimLink } from '../../storage/claim-links.ts';
import { lockTokens } from '../../storage/claims.ts';
import type { NewSignature } from '../../storage/operations.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { checkTokenSignature } from '../check-signature.ts';
import { listContributorKeys } from '../contributors/rules.ts';
import { checkNoErrors, Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { hashClaimCode, makeClaimCode } from './rules.ts';

/** Creates claim links for a token. Only the returned objects contain the codes; the service stores their hashes. */
export async function createClaimLinks(
  context: Context,
  caller: Caller,
  { tokenId, body }: { tokenId: string; body: CreateClaimLinksBody },
): Promise<CreatedClaimLink[]> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const signature = checkCreatorSignature(context, token, body);
  checkAllowlist(token, body);
  // Without identifiers, each link gets an allowlist entry of its own, with a random key. An open token gets such entries
  // too. Its allowlist contains nothing else, and claims without a code do not use it.
  const newEntries = Array.from({ length: body.count ?? 0 }, () => ({
    contributorKey: randomBytes(32),
    identifier: null,
  }));
  const expiresAtTimestamp = body.expiresAtTimestamp ?? null;
  const { links, createdAt } = await context.transaction(async (tx) => {
    // New allowlist entries get the next positions after the token's last entry. The lock keeps concurrent requests from
    // using the same positions. It also keeps the entries of identifiers from being removed meanwhile.
    await lockTokens(tx, [token.token_id]);
    const entries = body.identifiers ? await findEntries(tx, token.token_id, body.identifiers) : newEntries;
    const links = entries.map((entry) => {
      const code = makeClaimCode();
      return { ...entry, claimLinkId: randomUUID(), code, codeHash: hashClaimCode(code) };
    });
    const createdAt = await insertClaimLinks(tx, toActor(caller), {
      tokenId: token.token_id,
      links,
      expiresAt: expiresAtTimestamp === null ? null : new Date(expiresAtTimestamp),
      signature,
    });
    if (createdAt !== undefined) return { links, createdAt };
    await checkMayStillWrite(tx, caller, token.community_id);
    throw new Error(`token ${token.token_id} no longer exists`);
  });
  return links.map(({ claimLinkId, code, identifier }) => ({
    claimLinkId,
    code,
    url: `${context.settings.publicUrl}/claim/${token.token_id}#${code}`,
    identifier,
    expiresAtTimestamp,
    createdAtTimestamp: createdAt.getTime(),
  }));
}

// Returns the signature to store, if one was sent.
function checkCreatorSignature(
  context: Context,
  token: TokenSummaryRow,
  body: CreateClaimLinksBody,
): NewSignature | null {
  if (!body.signature) return null;
  return checkTokenSignature(context, {
    primaryType: 'AllowlistedAddress',
    tokenId: token.token_id,
    signer: token.creator,
    signature: body.signature,
    refusal: 'NotSignedByCreator',
  });
}

function checkAllowlist(token: TokenSummaryRow, { identifiers, signature }: CreateClaimLinksBody): void {
  // A body with `identifiers`, or with `count` and `signature`, is for an allowlisted token. A body with `count` alone is
  // for an open token.
  const isForAllowlist = Boolean(identifiers || signature);
  if (isForAllowlist === token.is_allowlist_required) return;
  throw new Refusal(
    'AllowlistMismatch',
    token.is_allowlist_required
      ? "This token is allowlisted: send identifiers, or count with the creator's signature."
      : 'This token is open: send count, without identifiers and signature.',
  );
}

// Returns the allowlist entries of the identifiers. An identifier that an earlier release normalised differently is on the
// allowlist under its former key, so both keys are looked up.
async function findEntries(
  tx: DatabaseTransaction,
  tokenId: number,
  identifiers: string[],
): Promise<Pick<NewClaimLink, 'contributorKey' | 'identifier'>[]> {
  const candidateKeys = identifiers.map(listContributorKeys);
  const listed = await findListedIdentifiers(tx, tokenId, candidateKeys.flat());
  const byKey = new Map(listed.map((entry) => [entry.contributor_key.toString('hex'), entry]));
  const indexByIdentifier = new Map<string, number>();
  const errors: RequestError[] = [];
  const entries = candidateKeys.flatMap((candidates, index) => {
    const found = candidates
      .map((key) => byKey.get(key.toString('hex')))
      .find((entry) => entry !== undefined);
    if (found === undefined) {
      errors.push({ pointer: `/identifiers/${index}`, detail: "is not on the token's allowlist" });
      return [];
    }
    const { contributor_key: contributorKey, identifier, has_claimed: hasClaimed } = found;
    const earlierIndex = indexByIdentifier.get(identifier);
    indexByIdentifier.set(identifier, index);
    if (hasClaimed) {
      errors.push({ pointer: `/identifiers/${index}`, detail: 'has already claimed this token' });
    } else if (earlierIndex !== undefined) {
      errors.push({
        pointer: `/identifiers/${index}`,
        detail: `is the same as /identifiers/${earlierIndex}`,
      });
    }
    return { contributorKey, identifier };
  });
  checkNoErrors(errors);
  return entries;
}
