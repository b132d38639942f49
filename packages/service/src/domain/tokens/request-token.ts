import { type CreateTokenBody, toBadgeMessage } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { recoverSigner } from '../../signatures/recover-signer.ts';
import { parseSignature } from '../../signatures/signature.ts';
import { findNftType } from '../../storage/nft-types.ts';
import type { CreateTokenRequest } from '../../storage/tokens.ts';
import { acceptOperation } from '../accept-operation.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community-row.ts';
import { isBuiltIn } from '../nft-types/rules.ts';
import { invalidSignature, Refusal } from '../refusal.ts';
import { identifyRequest, normaliseContributors } from './rules.ts';
import { toCustomAttributes } from './to-custom-attributes.ts';

/**
 * Accepts a signed token to be created later: one write, the operation.
 * The body is well-formed by its schema and by `findCreationErrors`.
 */
export async function requestToken(context: Context, caller: Caller, body: CreateTokenBody): Promise<string> {
  const { assetContentType } = await checkNamedThings(context, caller, body);
  checkMayActFor(caller, body.communityId);
  const { digest, signature } = checkSignedByCreator(context, body);

  const creator = body.creator.slice(2).toLowerCase();
  const contributors = body.isAllowlistRequired ? normaliseContributors(body.contributors as string[]) : [];
  const customAttributes = toCustomAttributes(body.customAttributes ?? []);
  const request: CreateTokenRequest = {
    creator,
    headline: body.headline,
    description: body.description ?? '',
    startTimestamp: body.startDateTimestamp || null,
    endTimestamp: body.endDateTimestamp || null,
    links: body.links ?? [],
    nftTypeId: body.nftTypeId,
    assetContentType,
    isSignatureRequired: body.isSignatureRequired,
    isAllowlistRequired: body.isAllowlistRequired,
    totalClaimCount: body.totalClaimCount ?? null,
    expirationTimestamp: body.expirationTimestamp || null,
    customAttributes,
    signature: Buffer.from(signature).toString('hex'),
    contributors,
  };
  return await acceptOperation(context, {
    operationType: 'createToken',
    communityId: body.communityId,
    caller,
    requestIdentity: identifyRequest({
      communityId: body.communityId,
      creator,
      digest,
      nftTypeId: body.nftTypeId,
      customAttributes,
      contributors,
    }),
    nftTypeId: assetContentType === null ? null : body.nftTypeId,
    request,
  });
}

// A community key's own community exists, so that most requests need no look-up. A deleted type is left to the
// write: a request that was accepted with it and comes again is no new one.
async function checkNamedThings(
  context: Context,
  caller: Caller,
  body: CreateTokenBody,
): Promise<{ assetContentType: string | null }> {
  const isKnown = caller.kind === 'community' && caller.communityId === body.communityId;
  if (!isKnown) await readCommunityRow(context, body.communityId);
  if (isBuiltIn(body.nftTypeId)) return { assetContentType: null };
  const nftType = await findNftType(context.database, body.communityId, body.nftTypeId);
  if (nftType === undefined) {
    throw new Refusal('NftTypeNotFound', 'The community has no NFT type with this id.');
  }
  return { assetContentType: nftType.content_type };
}

function checkSignedByCreator(context: Context, body: CreateTokenBody) {
  const signature = parseSignature(body.signature);
  if (signature === null) throw invalidSignature();
  const digest = context.typedData.badgeDigest(toBadgeMessage(body));
  const signer = recoverSigner(digest, signature);
  const creator = parseAddress(body.creator);
  if (signer === null || creator === null || !Buffer.from(signer).equals(creator)) {
    const { chainId, verifyingContract } = context.settings.domain;
    throw new Refusal(
      'BadgeRegisterRequestNotSignedByCreator',
      `The signature was not made by creator over these fields in this domain (chainId ${chainId}, verifyingContract ${verifyingContract}).`,
    );
  }
  return { digest, signature: Buffer.concat([signature.compact, Buffer.from([27 + signature.recoveryId])]) };
}
