import { type CreateTokenBody, TYPED_DATA_VERSION, toBadgeMessage } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findNftType } from '../../storage/nft-types.ts';
import type { CreateTokenRequest } from '../../storage/tokens.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { beginSignatureCheck, type RunChainCalls } from '../check-signature.ts';
import { readCommunityRow, readWalletChainId } from '../communities/read-community.ts';
import { beginReadingContributors } from '../contributors/read-contributors.ts';
import { checkMayName, nameContributors, textOf } from '../contributors/read-people.ts';
import { isBuiltIn } from '../nft-types/rules.ts';
import { MAX_ERRORS, nftTypeNotFound } from '../refusal.ts';
import { toCustomAttributes } from './read-token.ts';
import { findTimeWarnings, identifyCreateTokenRequest } from './rules.ts';

/**
 * Accepts a request to create a token, signed by its creator. The body has passed its schema and
 * `findCreationErrors`.
 */
export async function requestToken(
  context: Context,
  caller: Caller,
  {
    body,
    key,
    runChainCalls,
  }: { body: CreateTokenBody; key: OperationKey | null; runChainCalls: RunChainCalls },
): Promise<AcceptedOperation> {
  const { assetContentType } = await checkReferences(context, caller, body);
  await checkMayActFor(context, caller, body.communityId);
  const creator = parseAddress(body.creator);
  const digest = context.typedData.badgeDigest(toBadgeMessage(body));
  const check = beginSignatureCheck(context, {
    digest,
    signature: body.signature,
    signer: creator,
    refusal: 'BadgeRegisterRequestNotSignedByCreator',
    startDetail: () => 'The signature was not made by creator over these fields',
    findChainId: () => readWalletChainId(context, body.communityId),
    runChainCalls,
  });
  const customAttributes = toCustomAttributes(body.customAttributes ?? []);
  const criteria = body.criteria ?? null;
  const claimableFromTimestamp = body.claimableFromTimestamp || null;
  const validity = {
    validUntilTimestamp: body.validUntilTimestamp || null,
    validityDays: body.validityDays ?? null,
  };
  const entries = body.isAllowlistRequired ? (body.contributors ?? []) : [];
  checkMayName(context, entries);
  const reading = beginReadingContributors(context, entries.map(textOf), runChainCalls);
  const { signature, evidence } = await check.finish();
  const { warnings: contributorWarnings, ...read } = await reading.finish();
  const { contributors, subjects } = nameContributors(context, entries, read);
  const warnings = [...findTimeWarnings(body, Date.now()), ...contributorWarnings].slice(0, MAX_ERRORS);
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
    signature,
    evidence,
    typedDataVersion: TYPED_DATA_VERSION,
    contributors,
    criteria,
    claimableFromTimestamp,
    ...validity,
  };
  return await acceptOperation(context, {
    operationType: 'createToken',
    communityId: body.communityId,
    caller,
    key,
    requestIdentity: identifyCreateTokenRequest(
      {
        communityId: body.communityId,
        creator,
        digest,
        nftTypeId: body.nftTypeId,
        customAttributes,
        contributors,
        criteria,
        times: { claimableFromTimestamp, ...validity },
      },
      subjects,
    ),
    nftTypeId: assetContentType === null ? null : body.nftTypeId,
    warnings,
    request,
  });
}

// Checks that the community and the NFT type exist. The community of the caller's own key always exists, so
// it is not queried. A deleted NFT type is accepted here and rejected when the operation is inserted, so that
// a request from before the deletion can be repeated.
async function checkReferences(
  context: Context,
  caller: Caller,
  body: CreateTokenBody,
): Promise<{ assetContentType: string | null }> {
  const isOwnCommunity = caller.kind === 'community' && caller.communityId === body.communityId;
  if (!isOwnCommunity) await readCommunityRow(context, body.communityId);
  if (isBuiltIn(body.nftTypeId)) return { assetContentType: null };
  const nftType = await findNftType(context.database, body.communityId, body.nftTypeId);
  if (nftType === undefined) {
    throw nftTypeNotFound();
  }
  return { assetContentType: nftType.content_type };
}
