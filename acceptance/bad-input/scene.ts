import type { Wallet } from 'ethers';
import { expect } from 'vitest';
import { ownersOf, signTokenId } from '../claim-requests.ts';
import { type Answer, asJson, call, expectAccepted, expectSuccess, read, requestToken } from '../client.ts';
import { asOperator, createApiKey, createCommunity, newUniqId, send, walkAsOperator } from '../operator.ts';
import type { Body, CommunityToken, ManagedCommunity, Token } from '../shapes.ts';
import {
  allowlistedRequest,
  domain,
  expectedToken,
  newAddress,
  newWallet,
  openRequest,
  signToken,
  types,
} from '../token-requests.ts';
import { type RouteName, routes } from './routes.ts';
import type { Scene } from './row.ts';
import { writeBytes } from './write-bytes.ts';

export interface SetScene extends Scene {
  /** All that the scene's calls could have stored, but what they were accepted with. */
  readStored(): Promise<unknown>;
}

/** Makes a community with keys and tokens, and the right requests that rows change. */
export async function setScene(): Promise<SetScene> {
  const [creator, admin, owner] = [newWallet(), newWallet(), newWallet()];
  const displayId = newUniqId().slice(0, 64);
  const [{ uniqId: communityId }, other] = await Promise.all([
    createCommunity({ displayId, adminAddresses: [admin.address] }),
    createCommunity(),
  ]);
  const keys = await Promise.all([communityId, other.uniqId, communityId].map((id) => createApiKey(id)));
  const [key = '', otherKey = '', revokedKey = ''] = keys.map(({ apiKey }) => apiKey);
  await call(`/v1/communities/${communityId}/apiKeys/${keys[2]?.apiKeyId}`, {
    method: 'DELETE',
    headers: asOperator,
  });

  const asCommunity = { 'X-API-Key': key };
  const create = async (body: Body) =>
    expectSuccess(expectAccepted(await requestToken(body, { ...asJson, ...asCommunity })));
  const [openTokenId, allowlistedTokenId] = await Promise.all([
    create(await openRequest({ communityId }, creator)),
    create(await allowlistedRequest({ communityId }, creator)),
  ]);
  await expectSuccess(
    expectAccepted(
      await send('POST', `/v1/tokens/${openTokenId}/airdrop`, { address: owner.address }, asCommunity),
    ),
  );

  const accepted = new Set<number>();
  async function accept(answer: Answer, body: string | undefined): Promise<Answer> {
    if (answer.status !== 202 || body === undefined) return answer;
    const tokenId = await expectSuccess(expectAccepted(answer));
    accepted.add(tokenId);
    const expected = expectedToken(JSON.parse(body) as Body, tokenId);
    expect(await read<Token>(`/v1/tokens/${tokenId}`)).toStrictEqual(expected);
    return answer;
  }

  const rightBody = rightBodies({
    communityId,
    displayId,
    openTokenId,
    allowlistedTokenId,
    creator,
    admin,
    owner,
  });
  const params: Record<string, string> = { ':communityId': communityId };
  const ofOperator: RouteName[] = ['createCommunity', 'updateCommunity', 'createApiKey'];
  const keyless: RouteName[] = ['claim', 'burn'];
  const post = (headers: Record<string, string>, body: string) =>
    call('/v1/tokens', { method: 'POST', headers, body });
  const createSigned = async (body: Body) => {
    const text = JSON.stringify(body);
    return await accept(await post({ ...asJson, ...asCommunity }, text), text);
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
    create: async (changes) => createSigned(await openRequest({ communityId, ...changes }, creator)),
    createSignedFor: async (changes, change = (badge) => badge) => {
      const body = await openRequest({ communityId }, creator);
      const badge = change([...(types.Badge ?? [])]);
      return createSigned({
        ...body,
        signature: await signToken(creator, body, { ...domain, ...changes }, badge),
      });
    },
    send: async (
      route,
      { body = (right) => right, text = (right) => right, headers = (right) => right, query = '' },
    ) => {
      const [method = '', template = ''] = routes[route].split(' ');
      const tokenId = route === 'addContributors' ? allowlistedTokenId : openTokenId;
      const path = template.replace(/:\w+/g, (name) => params[name] ?? String(tokenId));
      const sent = text(JSON.stringify(body(await rightBody[route]())));
      const keyOf = ofOperator.includes(route) ? asOperator : asCommunity;
      const right = { ...asJson, ...(keyless.includes(route) ? {} : keyOf) };
      const answer = await call(path + query, { method, headers: headers(right), body: sent });
      return await accept(answer, route === 'createToken' && typeof sent === 'string' ? sent : undefined);
    },
    readStored: async () => {
      const community = `/v1/communities/${communityId}`;
      const [visible, hidden, tokens, owners, contributors, apiKeys, nftTypes, communities] =
        await Promise.all([
          walkAsOperator<CommunityToken>(`${community}/tokens`),
          read(`${community}/tokens?isHidden=true&limit=1000`, asCommunity),
          Promise.all([openTokenId, allowlistedTokenId].map((id) => read<Token>(`/v1/tokens/${id}`))),
          ownersOf(openTokenId),
          walkAsOperator(`/v1/tokens/${allowlistedTokenId}/contributors`),
          walkAsOperator(`${community}/apiKeys`),
          walkAsOperator(`${community}/nftTypes`),
          walkAsOperator<ManagedCommunity>('/v1/communities'),
        ]);
      return {
        visible: visible.filter(({ tokenId }) => !accepted.has(tokenId)),
        ...{ hidden, tokens, owners, contributors, apiKeys, nftTypes },
        communities: communities.filter((one) => one.displayId === displayId),
      };
    },
  };
}

interface Actors {
  communityId: string;
  displayId: string;
  openTokenId: number;
  allowlistedTokenId: number;
  creator: Wallet;
  admin: Wallet;
  owner: Wallet;
}

/** A body of each call that would be accepted as it stands. */
function rightBodies({ communityId, displayId, openTokenId, allowlistedTokenId, ...wallets }: Actors) {
  const { creator, admin, owner } = wallets;
  const airdropBy = async (receiver: Wallet) => ({
    receivingAddress: receiver.address,
    adminAddress: admin.address,
    adminSignature: await signTokenId(admin, 'CommunityAdminAirdrop', openTokenId),
  });
  const bodies: Record<RouteName, () => Promise<Body>> = {
    createToken: () => openRequest({ communityId }, creator),
    hideToken: async () => ({ isHidden: true }),
    claim: async () => {
      const claimer = newWallet();
      const signature = await signTokenId(claimer, 'Claim', openTokenId);
      return { claimingAddress: claimer.address, signature };
    },
    burn: async () => ({
      burningAddress: owner.address,
      signature: await signTokenId(owner, 'Burn', openTokenId),
    }),
    addContributors: async () => ({
      contributors: [newAddress()],
      signature: await signTokenId(creator, 'AllowlistedAddress', allowlistedTokenId),
    }),
    airdrop: async () => ({ address: newAddress() }),
    adminAirdrop: async () => {
      const receiver = newWallet();
      const receiverSignature = await signTokenId(
        receiver,
        'CommunityAdminAirdropReceiverConsent',
        openTokenId,
      );
      return { ...(await airdropBy(receiver)), receiverSignature };
    },
    adminAirdropWithoutConsent: () => airdropBy(newWallet()),
    createCommunity: async () => ({ uniqId: newUniqId(), displayId, name: 'Acceptance' }),
    updateCommunity: async () => ({ name: 'Changed' }),
    createApiKey: async () => ({ name: 'acceptance' }),
  };
  return bodies;
}
