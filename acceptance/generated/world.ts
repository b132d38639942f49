import { newWallet, signToken, signTokenId, type Wallet } from '@badge/test-support/signing';
import { sampleFiles } from '../sample-files.ts';
import type { Community, Environment, NftType, Operation, Page, Token } from '../shapes.ts';
import { type Draft, encode } from './drafts.ts';
import { type GeneratedRequest, send } from './send.ts';

export interface Service {
  baseUrl: string;
  adminKey: string;
  environment: Environment;
}

/** What the generated requests name: communities, tokens, keys and the rest, made before over HTTP. */
export class World {
  readonly service: Service;
  readonly creator = newWallet();
  readonly admin = newWallet();
  community = '';
  /** Another community, whose key fits none of the requests. */
  foreign = '';
  keys = { operator: '', community: '', foreign: '', basic: '' };
  tokens = { open: 0, signed: 0, allowlisted: 0, exhausted: 0, expired: 0 };
  /** Ids by the name of the parameter that takes them. */
  readonly ids: Record<string, string[]> = {};
  readableTokens: string[] = [];
  readonly listed = newWallet();

  constructor(service: Service) {
    this.service = service;
  }

  async make(): Promise<void> {
    const fields = { displayId: 'generated', name: 'Generated', adminAddresses: [this.admin.address] };
    this.community = (await this.call<Community>('POST', '/v1/communities', fields)).uniqId;
    this.foreign = (await this.call<Community>('POST', '/v1/communities', fields)).uniqId;
    const { apiKey } = await this.createKey(this.community);
    this.keys = {
      operator: this.service.adminKey,
      community: apiKey,
      foreign: (await this.createKey(this.foreign)).apiKey,
      basic: Buffer.from(`${this.community}:${apiKey}`).toString('base64'),
    };
    const open = { isAllowlistRequired: false, totalClaimCount: 1_000_000_000 };
    const contributors = [this.listed.address, 'ada@example.org', 'ada.eth'];
    const operations: string[] = [];
    const create = async (body: object) => {
      const location = await this.accept('/v1/tokens', await this.signToken({ headline: 'A', ...body }));
      operations.push(location.replace(/.*\//, ''));
      return await this.settle(location);
    };
    this.tokens = {
      open: await create(open),
      signed: await create({ ...open, isSignatureRequired: true }),
      allowlisted: await create({ isAllowlistRequired: true, contributors }),
      exhausted: await create({ ...open, totalClaimCount: 1 }),
      expired: await create({ ...open, expirationTimestamp: 1 }),
    };
    await this.hold(this.tokens.exhausted, this.listed.address);
    await this.call('PATCH', `/v1/tokens/${this.tokens.expired}`, { isHidden: true });
    const types = await this.call<Page<NftType>>('GET', `/v1/communities/${this.community}/nftTypes`);
    Object.assign(this.ids, {
      communityId: [this.community],
      tokenId: Object.values(this.tokens).map(String),
      address: [this.listed.address, this.creator.address, newWallet().address],
      operationId: operations,
      nftTypeId: types.data.map(({ nftTypeId }) => nftTypeId),
    });
  }

  /** Finds the newest tokens, so that what was generated is read back. */
  async findNewTokens(): Promise<void> {
    const { data } = await this.call<Page<Token>>('GET', '/v1/tokens?order=desc&limit=100');
    this.readableTokens = [...Object.values(this.tokens), ...data.map(({ tokenId }) => tokenId)].map(String);
  }

  async createKey(communityId: string): Promise<{ apiKey: string; apiKeyId: string }> {
    return await this.call('POST', `/v1/communities/${communityId}/apiKeys`, { name: 'generated' });
  }

  /** The id of an NFT type that the foreign community has added and not deleted. */
  async findNftType(): Promise<string> {
    const [spare] = await this.#addedTypes(this.foreign);
    if (spare !== undefined) return spare;
    const operation = { method: 'post', template: '', contentType: 'multipart/form-data' };
    const body = { assetFile: sampleFiles['video/mp4'], name: 'Generated' };
    const form = encode({ operation, params: {}, query: [], headers: {}, body } as unknown as Draft);
    const path = `/v1/communities/${this.foreign}/nftTypes`;
    const added: NftType = JSON.parse(await this.#send({ ...form, path }));
    return added.nftTypeId;
  }

  /** Deletes NFT types where the community's limit is near. */
  async makeRoom(): Promise<void> {
    const added = await this.#addedTypes(this.community);
    if (added.length < 40) return;
    for (const nftTypeId of added)
      await this.#delete(`/v1/communities/${this.community}/nftTypes/${nftTypeId}`);
  }

  async #addedTypes(communityId: string): Promise<string[]> {
    const path = `/v1/communities/${communityId}/nftTypes?limit=1000`;
    const { data } = await this.call<Page<NftType>>('GET', path);
    return data.filter(({ isUserAdded }) => isUserAdded).map(({ nftTypeId }) => nftTypeId);
  }

  async #delete(path: string): Promise<void> {
    await this.#send({ method: 'DELETE', path, headers: {}, body: null });
  }

  /** The body with what every creation needs, signed by the creator. */
  async signToken(body: object): Promise<object> {
    const defaults = { isSignatureRequired: false, nftTypeId: 'defaultOrangeRed' };
    const request: Record<string, unknown> = { ...defaults, ...body, communityId: this.community };
    request.creator = this.creator.address;
    return { ...request, signature: await signToken(this.creator, request, this.service.environment.eip712) };
  }

  async signTokenId(
    signer: Wallet,
    primaryType: Parameters<typeof signTokenId>[1],
    tokenId: number,
  ): Promise<string> {
    return await signTokenId(signer, primaryType, tokenId, this.service.environment.eip712);
  }

  /** Gives an open token to an address and waits until it holds it. */
  async hold(tokenId: number, address: string): Promise<void> {
    await this.settle(await this.accept(`/v1/tokens/${tokenId}/airdrop`, { address }));
  }

  async accept(path: string, body: object): Promise<string> {
    const answer = await send(this.service.baseUrl, this.#request('POST', path, body));
    if (answer.status !== 202) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.headers.get('location') ?? '';
  }

  async settle(location: string): Promise<number> {
    const operation = await this.call<Operation>('GET', `${location}?wait=30`);
    if (operation.status !== 'success') throw new Error(`${location} ended in ${JSON.stringify(operation)}`);
    return Number(operation.resourceId);
  }

  async call<Value>(method: string, path: string, body?: object): Promise<Value> {
    return JSON.parse(await this.#send(this.#request(method, path, body)));
  }

  #request(method: string, path: string, body?: object): GeneratedRequest {
    if (body === undefined) return { method, path, headers: {}, body: null };
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': this.service.adminKey };
    return { method, path, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  async #send(request: GeneratedRequest): Promise<string> {
    const headers = { ...request.headers, 'X-API-Key': this.service.adminKey };
    const answer = await send(this.service.baseUrl, { ...request, headers });
    if (answer.status >= 300)
      throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.text}`);
    return answer.text;
  }
}
