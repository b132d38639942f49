import { randomUUID } from 'node:crypto';
import type { ErrorName, TokenIdPrimaryType } from '@badge/protocol';
import { newWallet, signTokenId, type Wallet } from '@badge/test-support/signing';
import { type Door, makeApiKey } from './door-roles.ts';
import { makeNftType, makeOwner, makeToken, signToken, type World } from './door-world.ts';
import { nftTypeForm } from './nft-type-provocations.ts';

export interface DoorRequest {
  path: string;
  json?: Record<string, unknown>;
  form?: FormData;
}

/** What one route answers: who passes its door, and what who passes is told. */
export interface Row {
  /** The method and the route's pattern, as the router has them. */
  route: string;
  door: Door;
  status: number;
  /** A request that is right but for who sends it, as new as its first one for every call. */
  request(world: World): DoorRequest | Promise<DoorRequest>;
  /** How the request comes to name what is not there, and what is answered then. */
  unknown?: Fault;
  /** The same for a signature that somebody else made. */
  forged?: Fault;
}

export interface Fault {
  refusal: ErrorName;
  path?: string;
  json?: Record<string, unknown>;
}

const read = (path: string, door: Door, unknown?: Fault, pattern = path): Row => ({
  route: `GET ${pattern}`,
  door,
  status: 200,
  request: () => ({ path }),
  ...(unknown === undefined ? {} : { unknown }),
});

const SOMEBODY = newWallet();
const FORGED = await SOMEBODY.signMessage({ message: 'another message' });
const NO_TOKEN = '999999999';
const tokenUnknown = (path: string): Fault => ({
  refusal: 'TokenNotFound',
  path: path.replace(':tokenId', NO_TOKEN),
});
const communityUnknown = (path: string): Fault => ({
  refusal: 'CommunityNotFound',
  path: path.replace(':communityId', 'nobody'),
});

const readToken = (path: string, door: Door, query = ''): Row => ({
  route: `GET ${path}`,
  door,
  status: 200,
  request: ({ openTokenId }) => ({ path: path.replace(':tokenId', String(openTokenId)) + query }),
  unknown: { refusal: 'TokenNotFound', path: path.replace(':tokenId', NO_TOKEN) + query },
});

const readOfDemo = (path: string, door: Door): Row =>
  read(path.replace(':communityId', 'demo'), door, communityUnknown(path), path.split('?')[0]);

/** A call that asks for an operation on a token. */
function tokenWrite(
  call: string,
  door: Door,
  makeBody: (world: World, sign: Sign) => Promise<Record<string, unknown>>,
  { forged, isAllowlisted = false }: { forged?: Fault; isAllowlisted?: boolean } = {},
): Row {
  const path = `/v1/tokens/:tokenId/${call}`;
  return {
    route: `POST ${path}`,
    door,
    status: 202,
    request: async (world) => {
      const tokenId = isAllowlisted ? world.allowlistedTokenId : world.openTokenId;
      const json = await makeBody(world, (wallet, type) => signTokenId(wallet, type, tokenId));
      return { path: path.replace(':tokenId', String(tokenId)), json };
    },
    unknown: tokenUnknown(path),
    ...(forged === undefined ? {} : { forged }),
  };
}

type Sign = (wallet: Wallet, type: TokenIdPrimaryType) => Promise<string>;

const API_KEYS = '/v1/communities/:communityId/apiKeys';
const NFT_TYPES = '/v1/communities/:communityId/nftTypes';

const WRITES: Row[] = [
  {
    route: 'POST /v1/tokens',
    door: 'community',
    status: 202,
    request: async (world) => ({ path: '/v1/tokens', json: await signToken(world) }),
    unknown: { refusal: 'CommunityNotFound', json: { communityId: 'nobody' } },
    forged: { refusal: 'BadgeRegisterRequestNotSignedByCreator', json: { signature: FORGED } },
  },
  {
    route: 'PATCH /v1/tokens/:tokenId',
    door: 'community',
    status: 200,
    request: async (world) => ({
      path: `/v1/tokens/${await makeToken(world)}`,
      json: { isHidden: true },
    }),
    unknown: tokenUnknown('/v1/tokens/:tokenId'),
  },
  tokenWrite(
    'claim',
    'signed',
    async (_world, sign) => {
      const claimer = newWallet();
      return { claimingAddress: claimer.address, signature: await sign(claimer, 'Claim') };
    },
    { forged: { refusal: 'NotSignedByClaimer', json: { signature: FORGED } } },
  ),
  tokenWrite('claim', 'vouched', async () => ({ claimingAddress: newWallet().address })),
  tokenWrite(
    'addContributors',
    'community',
    async ({ creator }, sign) => ({
      contributors: [newWallet().address],
      signature: await sign(creator, 'AllowlistedAddress'),
    }),
    { forged: { refusal: 'NotSignedByCreator', json: { signature: FORGED } }, isAllowlisted: true },
  ),
  tokenWrite('airdrop', 'community', async () => ({ address: newWallet().address })),
  tokenWrite(
    'communityAdminAirdrop',
    'community',
    async ({ creator }, sign) => {
      const receiver = newWallet();
      return {
        receivingAddress: receiver.address,
        adminAddress: creator.address,
        adminSignature: await sign(creator, 'CommunityAdminAirdrop'),
        receiverSignature: await sign(receiver, 'CommunityAdminAirdropReceiverConsent'),
      };
    },
    { forged: { refusal: 'NotSignedByAdmin', json: { adminSignature: FORGED } } },
  ),
  tokenWrite(
    'communityAdminAirdropWithoutConsentSig',
    'community',
    async ({ creator }, sign) => ({
      receivingAddress: newWallet().address,
      adminAddress: creator.address,
      adminSignature: await sign(creator, 'CommunityAdminAirdrop'),
    }),
    { forged: { refusal: 'NotSignedByAdmin', json: { adminSignature: FORGED } } },
  ),
  tokenWrite(
    'burn',
    'open',
    async (world, sign) => {
      const owner = await makeOwner(world);
      return { burningAddress: owner.address, signature: await sign(owner, 'Burn') };
    },
    { forged: { refusal: 'NotSignedByOwner', json: { signature: FORGED } } },
  ),
  {
    route: 'POST /v1/communities',
    door: 'operator',
    status: 201,
    request: () => ({ path: '/v1/communities', json: { displayId: 'made', name: randomUUID() } }),
  },
  {
    route: 'PATCH /v1/communities/:communityId',
    door: 'operator',
    status: 200,
    request: () => ({ path: '/v1/communities/demo', json: { description: randomUUID() } }),
    unknown: communityUnknown('/v1/communities/:communityId'),
  },
  {
    route: `POST ${API_KEYS}`,
    door: 'operator',
    status: 201,
    request: () => ({ path: API_KEYS.replace(':communityId', 'demo'), json: { name: 'made' } }),
    unknown: communityUnknown(API_KEYS),
  },
  {
    route: `DELETE ${API_KEYS}/:apiKeyId`,
    door: 'operator',
    status: 204,
    request: async ({ service }) => ({
      path: `/v1/communities/demo/apiKeys/${(await makeApiKey(service, 'demo')).apiKeyId}`,
    }),
    unknown: { refusal: 'ApiKeyNotFound', path: `/v1/communities/demo/apiKeys/${randomUUID()}` },
  },
  {
    route: `POST ${NFT_TYPES}`,
    door: 'community',
    status: 201,
    request: () => ({ path: NFT_TYPES.replace(':communityId', 'demo'), form: nftTypeForm() }),
    unknown: communityUnknown(NFT_TYPES),
  },
  {
    route: `DELETE ${NFT_TYPES}/:nftTypeId`,
    door: 'community',
    status: 204,
    request: async (world) => ({ path: `/v1/communities/demo/nftTypes/${await makeNftType(world)}` }),
    unknown: { refusal: 'NftTypeNotFound', path: '/v1/communities/demo/nftTypes/nothing' },
  },
];

const READS: Row[] = [
  read('/v1/tokens', 'open'),
  read('/v1/auditLog', 'operator'),
  readToken('/v1/tokens/:tokenId', 'open'),
  readToken('/v1/tokens/:tokenId/owners', 'open'),
  readToken('/v1/tokens/:tokenId/contributors', 'community'),
  readToken('/v1/tokens/:tokenId/eligibility', 'open', `?address=${SOMEBODY.address}`),
  {
    route: 'GET /v1/operations/:operationId',
    door: 'open',
    status: 200,
    request: ({ operationId }) => ({ path: `/v1/operations/${operationId}` }),
    unknown: { refusal: 'OperationNotFound', path: `/v1/operations/${randomUUID()}` },
  },
  read(`/v1/wallets/${SOMEBODY.address}/tokens`, 'open', undefined, '/v1/wallets/:address/tokens'),
  read('/v1/communities', 'operator'),
  readOfDemo('/v1/communities/:communityId', 'open'),
  readOfDemo('/v1/communities/:communityId/tokens', 'open'),
  readOfDemo('/v1/communities/:communityId/tokens?isHidden=true', 'community'),
  readOfDemo('/v1/communities/:communityId/configuration', 'community'),
  readOfDemo(NFT_TYPES, 'community'),
  readOfDemo(API_KEYS, 'operator'),
  read('/v1/environment', 'open'),
  { ...readToken('/images/token/:tokenId.png', 'open'), route: 'GET /images/token/:tokenId.:extension' },
  read('/images/nft/defaultOrangeRed.png', 'open', undefined, '/images/nft/:id.:extension'),
  read('/images/logo.png', 'open'),
  readToken('/metadata/:tokenId', 'open'),
  read('/openapi.json', 'open'),
  ...['errors', 'json', 'yaml', 'static/swagger-initializer.js'].map((page) => read(`/docs/${page}`, 'open')),
  read('/docs', 'open'),
  { ...read('/docs/static/index.html', 'open'), status: 302 },
  read('/docs/static/swagger-ui.css', 'open', undefined, '/docs/static/*'),
  { route: 'OPTIONS /v1*', door: 'open', status: 204, request: () => ({ path: '/v1/communities' }) },
];

/** What every process answers, a worker too. */
export const HEALTH_ROWS: Row[] = [
  read('/healthz', 'open'),
  read('/readyz', 'open'),
  read('/metrics', 'open'),
];

/** In production the metrics are the operator's. */
export const PRODUCTION_ROWS: Row[] = [
  read('/metrics', 'operator'),
  readOfDemo('/v1/communities/:communityId/configuration', 'community'),
  read('/v1/communities', 'operator'),
];

/** Every route of a sandbox service has a row here, but those that answer 405 and, as their GET, HEAD. */
export const ROWS: Row[] = [...WRITES, ...READS, ...HEALTH_ROWS];
