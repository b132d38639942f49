import type { AdminAirdropBody, AdminAirdropWithoutConsentBody, AirdropBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { TokenRow } from '../../storage/tokens.ts';
import { acceptOperation } from '../accept-operation.ts';
import { toAddress } from '../addresses/rules.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community-row.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token-row.ts';
import { checkClaimable } from './check-claimable.ts';
import { checkSignedBy } from './check-signed-by.ts';
import { identifyTokenRequest } from './rules.ts';

/** Accepts an open token for an address that the community chooses. */
export async function requestAirdrop(
  context: Context,
  caller: Caller,
  tokenId: string,
  body: AirdropBody,
): Promise<string> {
  const token = await readTokenRow(context, tokenId);
  checkMayActFor(caller, token.community_id);
  if (token.is_allowlist_required) {
    throw new Refusal('AllowlistMismatch', 'Only open tokens are airdropped; this one is allowlisted.');
  }
  return await accept(context, caller, token, { operationType: 'airdrop', address: body.address });
}

/** Accepts a token for an address that an admin of the community chooses, past the allowlist. */
export async function requestAdminAirdrop(
  context: Context,
  caller: Caller,
  tokenId: string,
  body: AdminAirdropWithoutConsentBody | AdminAirdropBody,
): Promise<string> {
  const token = await readTokenRow(context, tokenId);
  checkMayActFor(caller, token.community_id);
  await checkAdmin(context, token, body);
  const hasConsent = 'receiverSignature' in body;
  if (hasConsent) {
    checkSignedBy(context, {
      primaryType: 'CommunityAdminAirdropReceiverConsent',
      tokenId: token.token_id,
      address: toAddress(body.receivingAddress),
      signature: body.receiverSignature,
      refusal: 'NotSignedByReceiver',
    });
  }
  return await accept(context, caller, token, {
    operationType: hasConsent ? 'communityAdminAirdrop' : 'communityAdminAirdropWithoutConsentSig',
    address: body.receivingAddress,
  });
}

async function checkAdmin(
  context: Context,
  token: TokenRow,
  body: AdminAirdropWithoutConsentBody,
): Promise<void> {
  const admin = toAddress(body.adminAddress);
  checkSignedBy(context, {
    primaryType: 'CommunityAdminAirdrop',
    tokenId: token.token_id,
    address: admin,
    signature: body.adminSignature,
    refusal: 'NotSignedByAdmin',
  });
  const community = await readCommunityRow(context, token.community_id);
  if (!community.admin_addresses.some((address) => address.equals(admin))) {
    throw new Refusal('NotCommunityAdmin', `${body.adminAddress} is no admin of ${token.community_id}.`);
  }
}

async function accept(
  context: Context,
  caller: Caller,
  token: TokenRow,
  airdrop: {
    operationType: 'airdrop' | 'communityAdminAirdrop' | 'communityAdminAirdropWithoutConsentSig';
    address: string;
  },
): Promise<string> {
  const address = toAddress(airdrop.address).toString('hex');
  const request = { tokenId: token.token_id, address, identifierKey: null, isAllowlistBypassed: true };
  await checkClaimable(context, request);
  return await acceptOperation(context, {
    operationType: airdrop.operationType,
    communityId: token.community_id,
    caller,
    requestIdentity: identifyTokenRequest(airdrop.operationType, token.token_id, [address]),
    request,
  });
}
