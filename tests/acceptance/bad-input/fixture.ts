import { newAddress, newWallet, type Wallet } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { ownersOf, signTokenId, type TokenIdType } from '../claim-requests.ts';
import {
  type ApiResponse,
  asJson,
  call,
  expectAccepted,
  expectSuccess,
  read,
  requestToken,
} from '../client.ts';
import { asOperator, createApiKey, createCommunity, newUniqId, send, walkAsOperator } from '../operator.ts';
import type { Body, CommunityToken, CommunityWithAdmins, Token } from '../shapes.ts';
import {
  allowlistedRequest,
  domain,
  expectedToken,
  openBadge,
  openRequest,
  signToken,
  types,
} from '../token-requests.ts';
import { keylessRouteNames, operatorRouteNames, type RouteName, routes } from './routes.ts';
import type { Fixture, WrongSignature } from './row.ts';
import { writeBytes } from './write-bytes.ts';

/** A fixture that can also read its stored data. */
export interface StoredFixture extends Fixture {
  /**
   * Reads the stored data that a bad-input case could have changed, without the tokens that the cases
   * created.
   */
  readStored(): Promise<unknown>;
}

/** Creates a community with keys and tokens, and the valid requests that the bad-input cases modify. */
export async function createFixture(): Promise<StoredFixture> {
  const [creator, admin, owner] = [newWallet(), newWallet(), newWallet()];
  // The owners that the calls in `owners/:address` name, and a contributor to remove.
  const ownerOf = { revoke: newAddress(), reinstate: newAddress(), move: newAddress() };
  const contributor = newAddress();
  const displayId = newUniqId();
  const [{ uniqId: communityId }, other] = await Promise.all([
    createCommunity({ displayId, adminAddresses: [admin.address] }),
    createCommunity(),
  ]);
  const { apiKey: key } = await createApiKey(communityId);
  const { apiKey: otherKey } = await createApiKey(other.uniqId);
  const { apiKey: revokedKey, apiKeyId: revokedKeyId } = await createApiKey(communityId);
  await call(`/v1/communities/${communityId}/apiKeys/${revokedKeyId}`, {
    method: 'DELETE',
    headers: asOperator,
  });

  const asCommunity = { 'X-API-Key': key };
  const createToken = async (body: Body) =>
    expectSuccess(expectAccepted(await requestToken(body, { ...asJson, ...asCommunity })));
  const [openTokenId, allowlistedTokenId] = await Promise.all([
    createToken(await openRequest({ communityId }, creator)),
    createToken(
      await allowlistedRequest({ communityId, contributors: [contributor, newAddress()] }, creator),
    ),
  ]);
  const post = async (path: string, body: Body) =>
    expectSuccess(expectAccepted(await send('POST', `/v1/tokens/${openTokenId}/${path}`, body, asCommunity)));
  for (const address of [owner.address, ...Object.values(ownerOf)]) await post('airdrop', { address });
  await post(`owners/${ownerOf.reinstate}/revoke`, { reason: 'a reason' });

  await send('PATCH', `/v1/communities/${communityId}`, { hasManagedCreator: true });
  const linksPath = `/v1/tokens/${allowlistedTokenId}/claimLinks`;
  const room = {
    maxClaims: 2,
    signature: await signTokenId(creator, 'AllowlistedAddress', allowlistedTokenId),
    expiresAtTimestamp: Date.now() + 3_600_000,
  };
  const { items } = JSON.parse((await send('POST', linksPath, room, asCommunity)).text);
  const roomLinkId = String(items[0].claimLinkId);
  // So that the valid request to pause the link changes nothing.
  await send('PATCH', `${linksPath}/${roomLinkId}`, { isPaused: true }, asCommunity);

  const webhook = { name: 'acceptance', url: 'https://example.org/events' };
  const createdWebhook = await send('POST', `/v1/communities/${communityId}/webhooks`, webhook);
  const { webhookId } = JSON.parse(createdWebhook.text);

  const createdTokenIds = new Set<number>();
  /** If the response has the status 202, waits for the token and checks that it is stored as it was sent. */
  async function expectStoredAsSent(response: ApiResponse, tokenBody: string): Promise<void> {
    if (response.status !== 202) return;
    const tokenId = await expectSuccess(expectAccepted(response));
    createdTokenIds.add(tokenId);
    const expected = expectedToken(JSON.parse(tokenBody) as Body, tokenId);
    expect(await read<Token>(`/v1/tokens/${tokenId}`)).toStrictEqual(expected);
  }

  const validBodies = makeValidBodies({
    communityId,
    displayId,
    openTokenId,
    allowlistedTokenId,
    creator,
    admin,
    owner,
    contributor,
  });
  const postToken = async (body: Body) => {
    const text = JSON.stringify(body);
    const headers = { ...asJson, ...asCommunity };
    const response = await call('/v1/tokens', { method: 'POST', headers, body: text });
    await expectStoredAsSent(response, text);
    return response;
  };

  return {
    communityId,
    key,
    otherKey,
    revokedKey,
    operatorKey: asOperator['X-API-Key'] ?? '',
    openTokenId,
    allowlistedTokenId,
    call,
    write: writeBytes,
    create: async (fields) => postToken(await openRequest({ communityId, ...fields }, creator)),
    createSignedFor: async (domainChanges, changeBadgeType = unchanged) => {
      const body = await openRequest({ communityId }, creator);
      const badgeType = changeBadgeType([...(types.Badge ?? [])]);
      return postToken({
        ...body,
        signature: await signToken(creator, body, { ...domain, ...domainChanges }, badgeType),
      });
    },
    send: async (
      route,
      { wrongSignature, body = unchanged, text = unchanged, headers = unchanged, path = unchanged },
    ) => {
      const [method = '', template = ''] = routes[route].split(' ');
      const isOfAllowlist = ['addContributors', 'removeContributors', 'updateClaimLink'].includes(route);
      const tokenId = isOfAllowlist ? allowlistedTokenId : openTokenId;
      const validPath = template
        .replace(':communityId', communityId)
        .replace(':tokenId', String(tokenId))
        .replace(':claimLinkId', roomLinkId)
        .replace(':webhookId', webhookId)
        .replace(':address', route in ownerOf ? ownerOf[route as keyof typeof ownerOf] : owner.address);
      const validBody = await validBodies[route](signWith(wrongSignature));
      const sent = text(JSON.stringify(body(validBody)));
      const keyHeaders = operatorRouteNames.includes(route) ? asOperator : asCommunity;
      const validHeaders = { ...asJson, ...(keylessRouteNames.includes(route) ? {} : keyHeaders) };
      const response = await call(path(validPath), { method, headers: headers(validHeaders), body: sent });
      if (route === 'createToken' && typeof sent === 'string') await expectStoredAsSent(response, sent);
      return response;
    },
    readStored: async () => {
      const community = `/v1/communities/${communityId}`;
      const tokenIds = [openTokenId, allowlistedTokenId];
      const [
        visible,
        hidden,
        tokens,
        owners,
        contributors,
        claimLinks,
        invitations,
        apiKeys,
        webhooks,
        nftTypes,
        communities,
      ] = await Promise.all([
        walkAsOperator<CommunityToken>(`${community}/tokens`),
        read(`${community}/tokens?isHidden=true&limit=1000`, asCommunity),
        Promise.all(tokenIds.map((id) => read<Token>(`/v1/tokens/${id}`))),
        Promise.all(tokenIds.map((id) => ownersOf(id))),
        walkAsOperator(`/v1/tokens/${allowlistedTokenId}/contributors`),
        Promise.all(tokenIds.map((id) => walkAsOperator(`/v1/tokens/${id}/claimLinks`))),
        Promise.all(tokenIds.map((id) => walkAsOperator(`/v1/tokens/${id}/invitations`))),
        walkAsOperator(`${community}/apiKeys`),
        walkAsOperator<{ failingSinceTimestamp: unknown }>(`${community}/webhooks`),
        walkAsOperator(`${community}/nftTypes`),
        walkAsOperator<CommunityWithAdmins>('/v1/communities'),
      ]);
      return {
        visible: visible.filter(({ tokenId }) => !createdTokenIds.has(tokenId)),
        hidden,
        tokens,
        owners,
        contributors,
        claimLinks,
        invitations,
        apiKeys,
        // The service sends the events of earlier cases meanwhile.
        webhooks: webhooks.map(({ failingSinceTimestamp: _, ...webhook }) => webhook),
        nftTypes,
        // Most cases that could create a community send this `displayId`.
        communities: communities.filter((listed) => listed.displayId === displayId),
      };
    },
  };
}

const unchanged = <Value>(valid: Value) => valid;

type Sign = (field: string, signer: Wallet, primaryType: TokenIdType, tokenId: number) => Promise<string>;

/**
 * Returns a function that makes the signatures of a body. `wrong` says which field gets a wrong signature.
 */
function signWith(wrong?: WrongSignature): Sign {
  return async (field, signer, primaryType, tokenId) => {
    if (wrong?.field !== field) return await signTokenId(signer, primaryType, tokenId);
    if (wrong.isPlainMessage) return await signer.signMessage({ message: String(tokenId) });
    const type = (wrong.primaryType ?? primaryType) as TokenIdType;
    const signedTokenId = wrong.isForNextToken ? tokenId + 1 : tokenId;
    return await signTokenId(signer, type, signedTokenId, { ...domain, ...wrong.domain });
  };
}

interface BodyOptions {
  communityId: string;
  displayId: string;
  openTokenId: number;
  allowlistedTokenId: number;
  creator: Wallet;
  admin: Wallet;
  owner: Wallet;
  contributor: string;
}

/** Returns, by route, a function that makes a valid body. */
function makeValidBodies(options: BodyOptions) {
  const { communityId, displayId, openTokenId, allowlistedTokenId, creator, admin, owner, contributor } =
    options;
  const makeAirdropBody = async (receiver: Wallet, sign: Sign) => ({
    receivingAddress: receiver.address,
    adminAddress: admin.address,
    adminSignature: await sign('adminSignature', admin, 'CommunityAdminAirdrop', openTokenId),
  });
  const consent = 'CommunityAdminAirdropReceiverConsent';
  const bodies: Record<RouteName, (sign: Sign) => Promise<Body>> = {
    createToken: () => openRequest({ communityId }, creator),
    updateToken: async () => ({ isHidden: true }),
    claim: async (sign) => {
      const claimer = newWallet();
      const signature = await sign('signature', claimer, 'Claim', openTokenId);
      return { claimingAddress: claimer.address, signature };
    },
    burn: async (sign) => ({
      burningAddress: owner.address,
      signature: await sign('signature', owner, 'Burn', openTokenId),
    }),
    addContributors: async (sign) => ({
      contributors: [newAddress()],
      signature: await sign('signature', creator, 'AllowlistedAddress', allowlistedTokenId),
    }),
    removeContributors: async () => ({ contributors: [contributor] }),
    revoke: async () => ({ reason: 'a reason' }),
    reinstate: async () => ({ reason: 'a reason' }),
    move: async () => ({ toAddress: newAddress(), reason: 'a reason' }),
    airdrop: async () => ({ address: newAddress() }),
    adminAirdrop: async (sign) => {
      const receiver = newWallet();
      const receiverSignature = await sign('receiverSignature', receiver, consent, openTokenId);
      return { ...(await makeAirdropBody(receiver, sign)), receiverSignature };
    },
    adminAirdropWithoutConsent: (sign) => makeAirdropBody(newWallet(), sign),
    createClaimLinks: async () => ({ count: 1 }),
    updateClaimLink: async () => ({ isPaused: true }),
    createInvitations: async () => ({ recipients: [{ email: 'ada@example.org' }] }),
    previewInvitation: async () => ({ name: 'Ada' }),
    checkClaimCode: async () => ({ claimCode: '0'.repeat(26) }),
    checkOwners: async () => ({ addresses: [owner.address], tokenIds: [openTokenId] }),
    ensNames: async () => ({ addresses: [owner.address] }),
    snapshotScores: async () => ({ addresses: [owner.address] }),
    createCommunity: async () => ({ uniqId: newUniqId(), displayId, name: 'Acceptance' }),
    updateCommunity: async () => ({ name: 'Changed' }),
    signWithManagedCreator: async () => ({ primaryType: 'Badge', message: openBadge(communityId) }),
    setMember: async () => ({ role: 'viewer' }),
    createSignInChallenge: async () => ({ address: owner.address }),
    signIn: async () => {
      const { text } = await send('POST', '/v1/sessions/challenge', { address: owner.address });
      const { message } = JSON.parse(text) as { message: string };
      return { message, signature: await owner.signMessage({ message }) };
    },
    createApiKey: async () => ({ name: 'acceptance' }),
    updateWebhook: async () => ({ name: 'acceptance' }),
  };
  return bodies;
}
