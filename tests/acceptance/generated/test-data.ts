import { randomUUID } from 'node:crypto';
import { newWallet, signToken, signTokenId, type Wallet } from '@badge/test-support/signing';
import { sampleFiles } from '../sample-files.ts';
import type { Community, Environment, NftType, Operation, Page, Token } from '../shapes.ts';
import { encodeRequest, type UnencodedRequest } from './encode-request.ts';
import { type GeneratedRequest, send } from './send.ts';

export interface Service {
  baseUrl: string;
  adminKey: string;
  environment: Environment;
}

/** When a community has this many added NFT types, they are deleted. The service allows 50. */
const MAX_ADDED_NFT_TYPES = 40;

/** Creates the communities, keys and tokens of the generated requests, over HTTP. */
export async function createTestData({ baseUrl, adminKey, environment }: Service) {
  const [creator, admin, listed] = [newWallet(), newWallet(), newWallet()];

  async function sendAsOperator(request: GeneratedRequest): Promise<string> {
    const headers = { ...request.headers, 'X-API-Key': adminKey };
    const response = await send(baseUrl, { ...request, headers });
    if (response.status >= 300)
      throw new Error(`${request.method} ${request.path}: ${response.status} ${response.text}`);
    return response.text;
  }

  function toRequest(method: string, path: string, body?: object): GeneratedRequest {
    if (body === undefined) return { method, path, headers: {}, body: null };
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': adminKey };
    return { method, path, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  async function call<Value>(method: string, path: string, body?: object): Promise<Value> {
    return JSON.parse(await sendAsOperator(toRequest(method, path, body)));
  }

  /** Sends a request for an operation and returns the operation's path. */
  async function requestOperation(path: string, body: object): Promise<string> {
    const response = await send(baseUrl, toRequest('POST', path, body));
    if (response.status !== 202) throw new Error(`${path} returned ${response.status}: ${response.text}`);
    return response.headers.get('location') ?? '';
  }

  async function waitForSuccess(location: string): Promise<number> {
    const operation = await call<Operation>('GET', `${location}?wait=30`);
    if (operation.status !== 'success') throw new Error(`${location} ended in ${JSON.stringify(operation)}`);
    return Number(operation.resourceId);
  }

  /** Creates an API key of a community, with every right in it. */
  async function createKey(communityId: string): Promise<{ apiKey: string; apiKeyId: string }> {
    return await call('POST', `/v1/communities/${communityId}/apiKeys`, { name: 'generated', role: 'owner' });
  }

  /** Adds a viewer to a community, and returns its address. */
  async function createMember(communityId: string): Promise<string> {
    const { address } = newWallet();
    await call('PUT', `/v1/communities/${communityId}/members/${address}`, { role: 'viewer' });
    return address;
  }

  /** Requests a challenge, and signs it with a wallet. */
  async function signChallenge(wallet = newWallet()): Promise<object> {
    const challenge = { address: wallet.address };
    const { message } = await call<{ message: string }>('POST', '/v1/sessions/challenge', challenge);
    return { message, signature: await wallet.signMessage({ message }) };
  }

  /** Returns the id of the status list of a new credential. */
  async function readStatusListId(): Promise<string> {
    const { address } = newWallet();
    await giveToken(tokens.open, address);
    const path = `/v1/tokens/${tokens.open}/credentials/${address}`;
    const { credentialStatus } = await call<{ credentialStatus: { statusListCredential: string } }>(
      'GET',
      path,
    );
    return credentialStatus.statusListCredential.split('/').at(-1) ?? '';
  }

  /** Deletes the webhooks of the community. The service allows 20. */
  async function deleteWebhooks(): Promise<void> {
    const path = `/v1/communities/${communityId}/webhooks`;
    const { data } = await call<Page<{ webhookId: string }>>('GET', path);
    // Another request may have deleted one of them meanwhile.
    for (const { webhookId } of data) await send(baseUrl, toRequest('DELETE', `${path}/${webhookId}`));
  }

  /** Creates a webhook of a new community, which no other request deletes. */
  async function createWebhook(): Promise<{ communityId: string; webhookId: string }> {
    const communityId = await createCommunity();
    const webhook = { name: 'generated', url: 'https://receiver.invalid/' };
    const path = `/v1/communities/${communityId}/webhooks`;
    const { webhookId } = await call<{ webhookId: string }>('POST', path, webhook);
    return { communityId, webhookId };
  }

  async function createWebhookDelivery(): Promise<Record<string, string>> {
    const webhook = await createWebhook();
    const path = `/v1/communities/${webhook.communityId}/webhooks/${webhook.webhookId}/test`;
    return { ...webhook, ...(await call<{ deliveryId: string }>('POST', path, {})) };
  }

  const sessionTokens: string[] = [];

  /** Signs a wallet in, and returns the token of the session. */
  async function createSession(wallet = newWallet()): Promise<string> {
    const { sessionToken } = await call<{ sessionToken: string }>(
      'POST',
      '/v1/sessions',
      await signChallenge(wallet),
    );
    sessionTokens.push(sessionToken);
    return sessionToken;
  }

  async function createCommunity(): Promise<string> {
    const fields = { displayId: 'generated', name: 'Generated', adminAddresses: [admin.address] };
    return (await call<Community>('POST', '/v1/communities', fields)).uniqId;
  }

  const communityId = await createCommunity();
  const otherCommunityId = await createCommunity();
  const { apiKey } = await createKey(communityId);

  /** Completes a create-token body and signs it as the creator. */
  async function signCreation(body: object): Promise<object> {
    const request: Record<string, unknown> = {
      isSignatureRequired: false,
      nftTypeId: 'defaultOrangeRed',
      ...body,
      communityId,
      creator: creator.address,
    };
    return { ...request, signature: await signToken(creator, request, environment.eip712) };
  }

  /** Airdrops an open token to an address. */
  async function giveToken(tokenId: number, address: string): Promise<void> {
    await waitForSuccess(await requestOperation(`/v1/tokens/${tokenId}/airdrop`, { address }));
  }

  async function revokeToken(tokenId: number, address: string): Promise<void> {
    const path = `/v1/tokens/${tokenId}/owners/${address}/revoke`;
    await waitForSuccess(await requestOperation(path, { reason: 'a reason' }));
  }

  /** Adds a new address to the allowlisted token, and returns it. */
  async function addContributor(): Promise<string> {
    const { address } = newWallet();
    const signature = await signTokenId(
      creator,
      'AllowlistedAddress',
      tokens.allowlisted,
      environment.eip712,
    );
    const path = `/v1/tokens/${tokens.allowlisted}/addContributors`;
    await waitForSuccess(await requestOperation(path, { contributors: [address], signature }));
    return address;
  }

  /** Creates a claim link of the open token, and returns its id. */
  async function createClaimLink(): Promise<string> {
    const path = `/v1/tokens/${tokens.open}/claimLinks`;
    const { items } = await call<{ items: { claimLinkId: string }[] }>('POST', path, { count: 1 });
    return items[0]?.claimLinkId ?? '';
  }

  /** Creates a claim link of the open token, and returns its code. */
  async function createClaimCode(): Promise<string> {
    const path = `/v1/tokens/${tokens.open}/claimLinks`;
    const { items } = await call<{ items: { code: string }[] }>('POST', path, { count: 1 });
    return items[0]?.code ?? '';
  }

  /** Creates a room link of the allowlisted token, and returns its id. */
  async function createRoomLink(): Promise<string> {
    const signature = await signTokenId(
      creator,
      'AllowlistedAddress',
      tokens.allowlisted,
      environment.eip712,
    );
    const body = { maxClaims: 2, signature, expiresAtTimestamp: Date.now() + 3_600_000 };
    const path = `/v1/tokens/${tokens.allowlisted}/claimLinks`;
    const { items } = await call<{ items: { claimLinkId: string }[] }>('POST', path, body);
    return items[0]?.claimLinkId ?? '';
  }

  /** Invites somebody to claim the open token, and returns the id of the invitation. */
  async function createInvitation(isScheduled = false): Promise<string> {
    const path = `/v1/tokens/${tokens.open}/invitations`;
    const sendAtTimestamp = isScheduled ? Date.now() + 3_600_000 : null;
    const body = { recipients: [{ email: `${randomUUID()}@example.org` }], sendAtTimestamp };
    const { items } = await call<{ items: { invitationId: string }[] }>('POST', path, body);
    return items[0]?.invitationId ?? '';
  }

  /** Gives the open token to a new address, and returns the id of its recipient. */
  async function createRecipient(): Promise<string> {
    const { address } = newWallet();
    await giveToken(tokens.open, address);
    const { data } = await call<Page<{ recipientId: string }>>(
      'GET',
      `/v1/tokens/${tokens.open}/recipients?search=${address}`,
    );
    return data[0]?.recipientId ?? '';
  }

  const operationIds: string[] = [];
  async function createToken(body: object): Promise<number> {
    const location = await requestOperation('/v1/tokens', await signCreation({ headline: 'A', ...body }));
    operationIds.push(location.replace(/.*\//, ''));
    return await waitForSuccess(location);
  }

  /** Creates a token that can replace another new one. */
  async function createReplacement(): Promise<{ tokenId: number; replacementTokenId: number }> {
    const [tokenId, replacementTokenId] = [randomUUID(), randomUUID()].map((headline) =>
      createToken({ ...openFields, headline }),
    );
    return { tokenId: (await tokenId) ?? 0, replacementTokenId: (await replacementTokenId) ?? 0 };
  }

  await call('PATCH', `/v1/communities/${communityId}`, { hasManagedCreator: true });
  /** A message that the managed creator signs. */
  const badge = {
    headline: 'Managed',
    description: '',
    startDateTimestamp: 0,
    endDateTimestamp: 0,
    links: [],
    communityUniqId: communityId,
    isSignatureRequired: false,
    isAllowlistRequired: true,
    totalClaimCount: 0,
    expirationTimestamp: 0,
  };
  async function createManagedToken(): Promise<number> {
    const path = `/v1/communities/${communityId}/managedCreator/sign`;
    const signed = await call<{ address: string; signature: string }>('POST', path, {
      primaryType: 'Badge',
      message: badge,
    });
    const location = await requestOperation('/v1/tokens', {
      headline: badge.headline,
      communityId,
      nftTypeId: 'defaultOrangeRed',
      isSignatureRequired: false,
      isAllowlistRequired: true,
      contributors: [listed.address],
      creator: signed.address,
      signature: signed.signature,
    });
    return await waitForSuccess(location);
  }

  const openFields = { isAllowlistRequired: false, totalClaimCount: 1_000_000_000 };
  const contributors = [listed.address, 'ada@example.org', 'ada.eth'];
  const tokens = {
    open: await createToken(openFields),
    signed: await createToken({ ...openFields, isSignatureRequired: true }),
    allowlisted: await createToken({ isAllowlistRequired: true, contributors }),
    exhausted: await createToken({ ...openFields, totalClaimCount: 1 }),
    expired: await createToken({ ...openFields, expirationTimestamp: 1 }),
    managed: await createManagedToken(),
  };
  await giveToken(tokens.exhausted, listed.address);
  // So that requests also use a hidden token.
  await call('PATCH', `/v1/tokens/${tokens.expired}`, { isHidden: true });

  const nftTypesPath = (communityId: string) => `/v1/communities/${communityId}/nftTypes`;
  const listNftTypes = async (communityId: string) =>
    (await call<Page<NftType>>('GET', `${nftTypesPath(communityId)}?limit=1000`)).data;
  const listAddedNftTypes = async (communityId: string) =>
    (await listNftTypes(communityId)).filter(({ isUserAdded }) => isUserAdded);

  function toForm(path: string, body: Record<string, string | Uint8Array>): GeneratedRequest {
    // What `encodeRequest` needs of an operation in the OpenAPI document. The path is set below.
    const operation = { method: 'post', template: '', contentType: 'multipart/form-data' };
    const unencoded = { operation, params: {}, query: [], headers: {}, body };
    return { ...encodeRequest(unencoded as unknown as UnencodedRequest), path };
  }

  /** Returns the id of an NFT type that the other community has added, and adds one if there is none. */
  async function ensureNftType(): Promise<string> {
    const [added] = await listAddedNftTypes(otherCommunityId);
    if (added !== undefined) return added.nftTypeId;
    const body = { assetFile: sampleFiles['video/mp4'], name: 'Generated' };
    const created = await sendAsOperator(toForm(nftTypesPath(otherCommunityId), body));
    return (JSON.parse(created) as NftType).nftTypeId;
  }

  /** Runs `create` at its first call. */
  function once<Value>(create: () => Promise<Value>): () => Promise<Value> {
    let created: Promise<Value> | undefined;
    return () => {
      created ??= create();
      return created;
    };
  }

  /** Makes an export of a new community, which no other request replaces. Returns its path's parameters. */
  const ensureExport = once(async () => {
    const communityId = await createCommunity();
    const location = await requestOperation(`/v1/communities/${communityId}/exports`, { people: 'none' });
    return { communityId, exportId: String(await waitForSuccess(location)) };
  });

  /** Makes an import, and returns the parameters of its path. */
  const ensureImport = once(async () => {
    const form = toForm(`/v1/communities/${communityId}/imports`, {
      file: Buffer.from('headline\nGenerated\n'),
      format: 'csv',
      isDryRun: 'true',
    });
    const response = await send(baseUrl, { ...form, headers: { ...form.headers, 'X-API-Key': adminKey } });
    return {
      communityId,
      importId: String(await waitForSuccess(response.headers.get('location') ?? '')),
    };
  });

  /** Deletes the community's added NFT types if their number is close to the limit. */
  async function makeRoomForNftTypes(): Promise<void> {
    const added = await listAddedNftTypes(communityId);
    if (added.length < MAX_ADDED_NFT_TYPES) return;
    for (const { nftTypeId } of added) {
      const path = `${nftTypesPath(communityId)}/${nftTypeId}`;
      await sendAsOperator({ method: 'DELETE', path, headers: {}, body: null });
    }
  }

  /** Ids by the name of their path parameter. */
  const ids: Record<string, string[]> = {
    communityId: [communityId],
    tokenId: Object.values(tokens).map(String),
    address: [listed.address, creator.address, newWallet().address],
    operationId: operationIds,
    nftTypeId: (await listNftTypes(communityId)).map(({ nftTypeId }) => nftTypeId),
  };
  const data = {
    creator,
    admin,
    listed,
    communityId,
    otherCommunityId,
    keys: {
      operator: adminKey,
      community: apiKey,
      otherCommunity: (await createKey(otherCommunityId)).apiKey,
      basic: Buffer.from(`${communityId}:${apiKey}`).toString('base64'),
    },
    tokens,
    /** The URL of the web page of the open token. */
    pageUrl: (await call<{ external_url: string }>('GET', `/metadata/${tokens.open}`)).external_url,
    badge,
    ids,
    /** The ids of the tokens that generated GET requests read. */
    readableTokens: [] as string[],
    /**
     * Sets `readableTokens` to `tokens` and the newest tokens, so that generated tokens are read too. Only
     * tokens with a PNG are read, because `recipes.ts` requests a PNG of each token.
     */
    async updateReadableTokens(): Promise<void> {
      const { data: newest } = await call<Page<Token>>('GET', '/v1/tokens?order=desc&limit=100');
      const newestWithPng = newest.filter(({ imageUrl }) => imageUrl.endsWith('.png'));
      const tokenIds = [...Object.values(tokens), ...newestWithPng.map(({ tokenId }) => tokenId)];
      data.readableTokens = tokenIds.map(String);
    },
    createKey,
    createMember,
    signChallenge,
    createSession,
    deleteWebhooks,
    createWebhook,
    createWebhookDelivery,
    sessionTokens,
    signCreation,
    signTokenId: (signer: Wallet, primaryType: Parameters<typeof signTokenId>[1], tokenId: number) =>
      signTokenId(signer, primaryType, tokenId, environment.eip712),
    giveToken,
    readStatusListId,
    revokeToken,
    createReplacement,
    addContributor,
    createClaimLink,
    createRoomLink,
    createInvitation,
    createRecipient,
    createClaimCode,
    ensureNftType,
    makeRoomForNftTypes,
    ensureExport,
    ensureImport,
  };
  return data;
}

export type TestData = Awaited<ReturnType<typeof createTestData>>;
