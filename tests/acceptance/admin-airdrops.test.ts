import { newAddress, newWallet, type Wallet } from '@badge/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createOpenToken,
  ENCODINGS,
  expectDone,
  findInWallet,
  ownersOf,
  postTo,
  remainingOf,
  signTokenId,
} from './claim-requests.ts';
import { asJson, expectAccepted, expectSuccess, requestToken, withDemoKey } from './client.ts';
import { asOperator, createApiKey, createCommunity, createTokenOf, operatorOnly, send } from './operator.ts';
import { expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';
import { allowlistedRequest } from './token-requests.ts';

const actionWithConsent = 'communityAdminAirdrop';
const actionWithoutConsent = 'communityAdminAirdropWithoutConsentSig';
const actions = [actionWithConsent, actionWithoutConsent] as const;
const admin = newWallet();

async function makeBody(tokenId: number, receiver: Wallet, changes: Body = {}): Promise<Body> {
  return {
    receivingAddress: receiver.address,
    adminAddress: admin.address,
    adminSignature: await signTokenId(admin, 'CommunityAdminAirdrop', tokenId),
    receiverSignature: await signTokenId(receiver, 'CommunityAdminAirdropReceiverConsent', tokenId),
    ...changes,
  };
}

describe.skipIf(operatorOnly.isSkipped)(`an airdrop by an admin${operatorOnly.titleSuffix}`, () => {
  let communityId: string;
  let withCommunityKey: Record<string, string>;
  beforeAll(async () => {
    communityId = (await createCommunity()).uniqId;
    const adminAddresses = [newAddress(), admin.address.toLowerCase()];
    expect((await send('PATCH', `/v1/communities/${communityId}`, { adminAddresses })).status).toBe(200);
    withCommunityKey = { 'X-API-Key': (await createApiKey(communityId)).apiKey };
  });

  const createOwnOpenToken = async (fields: Body = {}) => (await createTokenOf(communityId, fields)).tokenId;
  async function createOwnAllowlistedToken(): Promise<number> {
    const request = await allowlistedRequest({ communityId });
    return await expectSuccess(expectAccepted(await requestToken(request, { ...asJson, ...asOperator })));
  }

  describe.each(actions)('%s', (action) => {
    const airdrop = async (tokenId: number, receiver: Wallet, changes: Body = {}) =>
      postTo(tokenId, action, await makeBody(tokenId, receiver, changes), withCommunityKey);

    test('gives a token to any receiver, even if the token has an allowlist and requires a claim signature', async () => {
      const tokenId = await createOwnAllowlistedToken();
      const receiver = newWallet();
      const operation = await expectDone(tokenId, airdrop(tokenId, receiver));
      expect(operation).toMatchObject({ operationType: action, resourceId: tokenId });
      expect(await ownersOf(tokenId)).toMatchObject([{ address: receiver.address }]);
      expect(await findInWallet(tokenId, receiver.address)).toMatchObject({ claimStatus: 'claimed' });
    });

    test('is rejected if the address has received the token before', async () => {
      const tokenId = await createOwnOpenToken();
      const receiver = newWallet();
      await expectDone(tokenId, airdrop(tokenId, receiver));
      expectProblem(await airdrop(tokenId, receiver), 409, 'ClaimingAddressAlreadyHasToken');
    });

    test('is rejected if no tokens are left', async () => {
      const tokenId = await createOwnOpenToken({ totalClaimCount: 1 });
      await expectDone(tokenId, airdrop(tokenId, newWallet()));
      expect(await remainingOf(tokenId)).toBe(0);
      expectProblem(await airdrop(tokenId, newWallet()), 409, 'NoTokensLeft');
    });

    test('accepts every valid encoding of its signatures', async () => {
      const tokenId = await createOwnOpenToken();
      for (const [, encode] of ENCODINGS) {
        const receiver = newWallet();
        const body = await makeBody(tokenId, receiver);
        const adminSignature = encode(String(body.adminSignature));
        const receiverSignature = encode(String(body.receiverSignature));
        await expectDone(tokenId, airdrop(tokenId, receiver, { adminSignature, receiverSignature }));
      }
    });

    test('is rejected after the community has removed the admin', async () => {
      const { uniqId } = await createCommunity({ adminAddresses: [admin.address] });
      const { tokenId } = await createTokenOf(uniqId);
      const post = async () => postTo(tokenId, action, await makeBody(tokenId, newWallet()), asOperator);
      await expectDone(tokenId, post());
      await send('PATCH', `/v1/communities/${uniqId}`, { adminAddresses: [newAddress()] });
      expectProblem(await post(), 403, 'NotCommunityAdmin');
    });

    test('is rejected after the token has expired', async () => {
      const tokenId = await createOwnOpenToken({ expirationTimestamp: 1 });
      expectProblem(await airdrop(tokenId, newWallet()), 409, 'TokenClaimExpired');
    });
  });

  test('the consent must be signed by the receiver, not by an admin', async () => {
    const tokenId = await createOwnOpenToken();
    const receiverSignature = await signTokenId(admin, 'CommunityAdminAirdropReceiverConsent', tokenId);
    const body = await makeBody(tokenId, newWallet(), { receiverSignature });
    expectProblem(
      await postTo(tokenId, actionWithConsent, body, withCommunityKey),
      403,
      'NotSignedByReceiver',
    );
  });

  test('a consent that is not required is ignored, even if it is malformed', async () => {
    const tokenId = await createOwnOpenToken();
    const body = await makeBody(tokenId, newWallet(), { receiverSignature: '0x' });
    await expectDone(tokenId, postTo(tokenId, actionWithoutConsent, body, withCommunityKey));
  });
});

describe.each(actions)('%s rejects', (action) => {
  test('a wallet that is not an admin of the community', async () => {
    const tokenId = await createOpenToken();
    const body = await makeBody(tokenId, newWallet());
    expectProblem(await postTo(tokenId, action, body, withDemoKey), 403, 'NotCommunityAdmin');
  });
});
