import type { AdminAirdropBody, AdminAirdropWithoutConsentBody, AirdropBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import type { NewSignature } from '../../storage/operations.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import type { Caller } from '../caller.ts';
import { beginTokenSignatureCheck, type RunChainCalls, type SignatureCheck } from '../check-signature.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import { checkEligible } from './read-eligibility.ts';
import { identifyRequestAboutToken } from './rules.ts';

/** Accepts an airdrop of an open token to an address that the community chooses. */
export async function requestAirdrop(
  context: Context,
  caller: Caller,
  { tokenId, body, key }: { tokenId: string; body: AirdropBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  return await withWritableToken(context, caller, tokenId, async (token) => {
    if (token.is_allowlist_required) {
      throw new Refusal(
        'AllowlistMismatch',
        'Only open tokens can be airdropped; this one has an allowlist.',
      );
    }
    return await acceptAirdrop(context, caller, token, {
      key,
      checks: [],
      operationType: 'airdrop',
      address: parseAddress(body.address),
    });
  });
}

/** Accepts an airdrop to an address that an admin of the community chooses. The allowlist is not checked. */
export async function requestAdminAirdrop(
  context: Context,
  caller: Caller,
  {
    tokenId,
    body,
    key,
    runChainCalls,
  }: {
    tokenId: string;
    body: AdminAirdropWithoutConsentBody | AdminAirdropBody;
    key: OperationKey | null;
    runChainCalls: RunChainCalls;
  },
): Promise<AcceptedOperation> {
  return await withWritableToken(context, caller, tokenId, async (token) => {
    const checks = [await beginAdminCheck(context, token, body, runChainCalls)];
    const address = parseAddress(body.receivingAddress);
    const hasConsent = 'receiverSignature' in body;
    if (hasConsent) {
      checks.push(
        beginTokenSignatureCheck(context, {
          primaryType: 'CommunityAdminAirdropReceiverConsent',
          token,
          signer: address,
          signature: body.receiverSignature,
          refusal: 'NotSignedByReceiver',
          runChainCalls,
        }),
      );
    }
    return await acceptAirdrop(context, caller, token, {
      key,
      checks,
      operationType: hasConsent ? 'communityAdminAirdrop' : 'communityAdminAirdropWithoutConsentSig',
      address,
    });
  });
}

async function beginAdminCheck(
  context: Context,
  token: TokenSummaryRow,
  body: AdminAirdropWithoutConsentBody,
  runChainCalls: RunChainCalls,
): Promise<SignatureCheck<NewSignature>> {
  const admin = parseAddress(body.adminAddress);
  const check = beginTokenSignatureCheck(context, {
    primaryType: 'CommunityAdminAirdrop',
    token,
    signer: admin,
    signature: body.adminSignature,
    refusal: 'NotSignedByAdmin',
    runChainCalls,
  });
  const community = await readCommunityRow(context, token.community_id);
  if (!community.admin_addresses.some((address) => address.equals(admin))) {
    throw new Refusal('NotCommunityAdmin', `${body.adminAddress} is not an admin of ${token.community_id}.`);
  }
  return check;
}

async function acceptAirdrop(
  context: Context,
  caller: Caller,
  token: TokenSummaryRow,
  {
    key,
    checks,
    operationType,
    address,
  }: {
    key: OperationKey | null;
    checks: SignatureCheck<NewSignature>[];
    operationType: 'airdrop' | 'communityAdminAirdrop' | 'communityAdminAirdropWithoutConsentSig';
    address: Address;
  },
): Promise<AcceptedOperation> {
  const request = {
    tokenId: token.token_id,
    address,
    identifierKey: null,
    // This is also true for `airdrop`: its token is open, so there is no allowlist to check.
    isAllowlistBypassed: true,
    claimLinkId: null,
    clientHash: null,
    claimer: null,
    // With a signature of the receiver, it is no gift of others.
    isForOther: operationType !== 'communityAdminAirdrop',
  };
  await checkEligible(context, request);
  const signatures: NewSignature[] = [];
  for (const check of checks) signatures.push(await check.finish());
  return await acceptOperation(context, {
    operationType,
    communityId: token.community_id,
    caller,
    key,
    requestIdentity: identifyRequestAboutToken(operationType, token.token_id, [address]),
    signatures,
    request,
  });
}
