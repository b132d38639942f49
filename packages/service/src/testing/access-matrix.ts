import { randomUUID } from 'node:crypto';
import { type ErrorName, type TokenIdMessageName, toBadgeMessage } from '@badge/protocol';
import { newWallet, signTokenId, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { hashKey } from '../domain/api-keys/rules.ts';
import { VERSION } from '../version.ts';
import {
  addContributor,
  ageIssuerKeys,
  createClaimLink,
  createInvitation,
  createMember,
  createNftType,
  createOwner,
  createRecipient,
  createReservation,
  createResubscriptionCode,
  createRevokedOwner,
  createRoomLink,
  createScheduledInvitation,
  createStatusListPath,
  createToken,
  createUnsubscribePath,
  createWebhook,
  createWebhookDelivery,
  deleteWebhooks,
  giveToOwnerSession,
  giveToSessions,
  type MatrixFixture,
  signedChallenge,
  signMoveBadges,
  signToken,
  waitForSuccess,
} from './access-matrix-fixture.ts';
import { createApiKey, type MatrixAccess } from './access-matrix-roles.ts';
import { arrivingToken, importInto } from './arrivals.ts';
import { managedToken } from './managed-token.ts';
import { nftTypeForm } from './nft-type-provocations.ts';
import type { TestService } from './services.ts';
import { importForm, insertExport, insertImport } from './transfers.ts';

export interface RowRequest {
  path: string;
  json?: Record<string, unknown>;
  form?: FormData;
}

/** A route with its access, its expected status and a valid request. */
export interface Row {
  /** The method and the path pattern, as registered in the router. */
  route: string;
  access: MatrixAccess;
  /** The status for the roles that have access. */
  status: number;
  /** Returns a new valid request, without credentials. */
  request(fixture: MatrixFixture): RowRequest | Promise<RowRequest>;
  /** Whether a 202 starts an operation. Default: true. */
  isOperation?: boolean;
  /** A variant of the request that refers to something that does not exist. */
  unknown?: InvalidVariant;
  /** A variant of the request with the signature of another wallet. */
  forged?: InvalidVariant;
}

/** The changes that make a request invalid, and the refusal to expect. */
export interface InvalidVariant {
  refusal: ErrorName;
  path?: string;
  json?: Record<string, unknown>;
}

/** A GET of a fixed path. `pattern` is the path as registered in the router, if it differs. */
const read = (
  path: string,
  access: MatrixAccess,
  { unknown, pattern = path }: { unknown?: InvalidVariant; pattern?: string } = {},
): Row => ({
  route: `GET ${pattern}`,
  access,
  status: 200,
  request: () => ({ path }),
  ...(unknown === undefined ? {} : { unknown }),
});

const OTHER_WALLET = newWallet();
const FORGED = await OTHER_WALLET.signMessage({ message: 'another message' });
const UNKNOWN_TOKEN_ID = '999999999';
const unknownToken = (path: string): InvalidVariant => ({
  refusal: 'TokenNotFound',
  path: path.replace(':tokenId', UNKNOWN_TOKEN_ID),
});
const unknownCommunity = (path: string): InvalidVariant => ({
  refusal: 'CommunityNotFound',
  path: path.replace(':communityId', 'nobody'),
});

/** A GET of the open token. */
const readToken = (path: string, access: MatrixAccess, query = ''): Row => ({
  route: `GET ${path}`,
  access,
  status: 200,
  request: ({ openTokenId }) => ({ path: path.replace(':tokenId', String(openTokenId)) + query }),
  unknown: { refusal: 'TokenNotFound', path: path.replace(':tokenId', UNKNOWN_TOKEN_ID) + query },
});

/** A GET of the community `demo`. */
const readOfDemo = (path: string, access: MatrixAccess): Row =>
  read(path.replace(':communityId', 'demo'), access, {
    unknown: unknownCommunity(path),
    pattern: path.replace(/\?.*/, ''),
  });

const WEB_PAGES = [
  '/',
  '/badges',
  '/token/:tokenId',
  '/embed/token/:tokenId',
  '/claim/:tokenId',
  '/claim/:tokenId/print',
  '/reserve/:tokenId',
  '/sign-in',
  '/my-badges',
  '/wallet/:address',
  '/community/:communityId',
  '/verify',
  '/console',
  '/console/*',
];

function oembedPath({ context }: TestService, tokenId: number): string {
  return `/oembed?url=${encodeURIComponent(`${context.settings.publicUrl}/token/${tokenId}`)}`;
}

/**
 * A web page. Its row has no request for something unknown, because the response is HTML, not a problem
 * object.
 */
const readPage = (route: string): Row => ({
  route: `GET ${route}`,
  access: 'public',
  status: 200,
  request: ({ openTokenId }) => ({
    path: route
      .replace(':tokenId', String(openTokenId))
      .replace(':address', OTHER_WALLET.address)
      .replace(':communityId', 'demo')
      .replace('*', 'settings'),
  }),
});

/** Signs the message of this type, such as `Claim`, for the token of the request. */
type Sign = (wallet: Wallet, type: TokenIdMessageName) => Promise<string>;

/**
 * A POST below `/v1/tokens/:tokenId` with a JSON body. Its expected status is 202, unless the row overrides
 * it.
 */
function tokenPost(
  action: string,
  access: MatrixAccess,
  makeBody: (fixture: MatrixFixture, sign: Sign) => Promise<Record<string, unknown>>,
  { forged, isAllowlisted = false }: { forged?: InvalidVariant; isAllowlisted?: boolean } = {},
): Row {
  const path = `/v1/tokens/:tokenId/${action}`;
  return {
    route: `POST ${path}`,
    access,
    status: 202,
    request: async (fixture) => {
      const tokenId = isAllowlisted ? fixture.allowlistedTokenId : fixture.openTokenId;
      const json = await makeBody(fixture, (wallet, type) => signTokenId(wallet, type, tokenId));
      return { path: path.replace(':tokenId', String(tokenId)), json };
    },
    unknown: unknownToken(path),
    ...(forged === undefined ? {} : { forged }),
  };
}

const OWNER = '/v1/tokens/:tokenId/owners/:address';

/** A POST below the path of an owner of the open token. */
function ownerPost(
  action: string,
  makeOwner: (fixture: MatrixFixture) => Promise<Wallet>,
  makeBody: () => Record<string, unknown>,
): Row {
  const path = `${OWNER}/${action}`;
  return {
    route: `POST ${path}`,
    access: 'editor',
    status: 202,
    request: async (fixture) => ({
      path: pathOfOwner(path, fixture.openTokenId, (await makeOwner(fixture)).address),
      json: makeBody(),
    }),
    unknown: { refusal: 'TokenNotFound', path: pathOfOwner(path, UNKNOWN_TOKEN_ID, OTHER_WALLET.address) },
  };
}

const pathOfOwner = (path: string, tokenId: number | string, address: string) =>
  path.replace(':tokenId', String(tokenId)).replace(':address', address);

const API_KEYS = '/v1/communities/:communityId/apiKeys';
const MEMBERS = '/v1/communities/:communityId/members';
const MANAGED_CREATOR = '/v1/communities/:communityId/managedCreator';
const CLAIM_LINKS = '/v1/tokens/:tokenId/claimLinks';
const INVITATIONS = '/v1/tokens/:tokenId/invitations';
const RECIPIENTS = '/v1/tokens/:tokenId/recipients';
const NFT_TYPES = '/v1/communities/:communityId/nftTypes';
const EXPORTS = '/v1/communities/:communityId/exports';
const IMPORTS = '/v1/communities/:communityId/imports';
const CREDENTIAL = '/v1/tokens/:tokenId/credentials/:address';
const ISSUER_KEYS = '/v1/communities/:communityId/issuerKeys';
const WEBHOOKS = '/v1/communities/:communityId/webhooks';

/** A request of an owner below the path of a new webhook of `demo`. */
const webhookRow = (
  method: string,
  { rest = '', status, json }: { rest?: string; status: number; json?: Record<string, unknown> },
): Row => ({
  route: `${method} ${WEBHOOKS}/:webhookId${rest}`,
  access: 'owner',
  status,
  request: async (fixture) => ({
    path: `/v1/communities/demo/webhooks/${await createWebhook(fixture)}${rest}`,
    ...(json === undefined ? {} : { json }),
  }),
  unknown: unknownCommunity(`${WEBHOOKS}/${randomUUID()}${rest}`),
});

const NON_GET_ROWS: Row[] = [
  {
    route: 'POST /v1/tokens',
    access: 'editor',
    status: 202,
    request: async (fixture) => ({ path: '/v1/tokens', json: await signToken(fixture) }),
    unknown: { refusal: 'CommunityNotFound', json: { communityId: 'nobody' } },
    forged: { refusal: 'BadgeRegisterRequestNotSignedByCreator', json: { signature: FORGED } },
  },
  {
    route: 'PATCH /v1/tokens/:tokenId',
    access: 'editor',
    status: 200,
    request: async (fixture) => ({
      path: `/v1/tokens/${await createToken(fixture)}`,
      json: { isHidden: true },
    }),
    unknown: unknownToken('/v1/tokens/:tokenId'),
  },
  tokenPost(
    'claim',
    'withProof',
    async (_fixture, sign) => {
      const claimer = newWallet();
      return { claimingAddress: claimer.address, signature: await sign(claimer, 'Claim') };
    },
    { forged: { refusal: 'NotSignedByClaimer', json: { signature: FORGED } } },
  ),
  // A claim code is a proof too: the claim needs no key.
  tokenPost('claim', 'withProof', async (fixture) => ({
    claimingAddress: newWallet().address,
    claimCode: (await createClaimLink(fixture)).code,
  })),
  tokenPost('claim', 'withoutProof', async () => ({ claimingAddress: newWallet().address })),
  // With an e-mail that was proven, nothing else is sent. Each of these claims has its own token.
  {
    ...tokenPost('claim', 'emailSession', async () => ({})),
    request: async (fixture) => ({
      path: `/v1/tokens/${await createToken(fixture, { headline: randomUUID() })}/claim`,
      json: {},
    }),
  },
  tokenPost(
    'addContributors',
    'issuer',
    async ({ creator }, sign) => ({
      contributors: [newWallet().address],
      signature: await sign(creator, 'AllowlistedAddress'),
    }),
    { forged: { refusal: 'NotSignedByCreator', json: { signature: FORGED } }, isAllowlisted: true },
  ),
  tokenPost('airdrop', 'issuer', async () => ({ address: newWallet().address })),
  tokenPost(
    'communityAdminAirdrop',
    'issuer',
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
  tokenPost(
    'communityAdminAirdropWithoutConsentSig',
    'issuer',
    async ({ creator }, sign) => ({
      receivingAddress: newWallet().address,
      adminAddress: creator.address,
      adminSignature: await sign(creator, 'CommunityAdminAirdrop'),
    }),
    { forged: { refusal: 'NotSignedByAdmin', json: { adminSignature: FORGED } } },
  ),
  tokenPost(
    'burn',
    'publicOrSession',
    async (fixture, sign) => {
      const owner = await createOwner(fixture);
      return { burningAddress: owner.address, signature: await sign(owner, 'Burn') };
    },
    { forged: { refusal: 'NotSignedByOwner', json: { signature: FORGED } } },
  ),
  {
    ...tokenPost('burn', 'burnBySession', async () => ({})),
    request: async (fixture) => {
      const { service, keys } = fixture;
      const path = `/v1/tokens/${await createToken(fixture, { headline: randomUUID() })}`;
      const json = { address: keys.ownerSession.address };
      await waitForSuccess(service, await service.call(`${path}/airdrop`, { key: keys.right, json }));
      return { path: `${path}/burn`, json: {} };
    },
  },
  {
    ...tokenPost('replace', 'editor', async () => ({})),
    request: async (fixture) => {
      // Equal requests would be one.
      const tokenId = await createToken(fixture, { headline: randomUUID() });
      const replacementTokenId = await createToken(fixture, { headline: randomUUID() });
      return { path: `/v1/tokens/${tokenId}/replace`, json: { replacementTokenId } };
    },
  },
  tokenPost('renew', 'issuer', async (fixture) => ({
    addresses: [(await createOwner(fixture)).address],
    validUntilTimestamp: 4_102_444_800_000,
  })),
  ownerPost('revoke', createOwner, () => ({ reason: 'a reason' })),
  ownerPost('reinstate', createRevokedOwner, () => ({ reason: 'a reason' })),
  ownerPost('move', createOwner, () => ({ toAddress: newWallet().address, reason: 'a reason' })),
  tokenPost(
    'removeContributors',
    'issuer',
    async (fixture) => ({ contributors: [await addContributor(fixture)] }),
    { isAllowlisted: true },
  ),
  {
    ...tokenPost('claimLinks', 'issuer', async () => ({ count: 1 })),
    status: 201,
  },
  {
    ...tokenPost(
      'claimLinks',
      'issuer',
      async ({ creator }, sign) => ({ count: 1, signature: await sign(creator, 'AllowlistedAddress') }),
      { forged: { refusal: 'NotSignedByCreator', json: { signature: FORGED } }, isAllowlisted: true },
    ),
    status: 201,
  },
  {
    ...tokenPost(
      'claimLinks',
      'issuer',
      async ({ creator }, sign) => ({
        maxClaims: 2,
        signature: await sign(creator, 'AllowlistedAddress'),
        expiresAtTimestamp: Date.now() + 3_600_000,
      }),
      { forged: { refusal: 'NotSignedByCreator', json: { signature: FORGED } }, isAllowlisted: true },
    ),
    status: 201,
  },
  {
    route: `PATCH ${CLAIM_LINKS}/:claimLinkId`,
    access: 'issuer',
    status: 200,
    request: async (fixture) => ({
      path: `${CLAIM_LINKS.replace(':tokenId', String(fixture.allowlistedTokenId))}/${(await createRoomLink(fixture)).claimLinkId}`,
      json: { isPaused: true },
    }),
    unknown: unknownToken(`${CLAIM_LINKS}/${randomUUID()}`),
  },
  {
    route: `DELETE ${CLAIM_LINKS}/:claimLinkId`,
    access: 'issuer',
    status: 204,
    request: async (fixture) => ({
      path: `${CLAIM_LINKS.replace(':tokenId', String(fixture.openTokenId))}/${(await createClaimLink(fixture)).claimLinkId}`,
    }),
    unknown: unknownToken(`${CLAIM_LINKS}/${randomUUID()}`),
  },
  {
    ...tokenPost('invitations', 'issuer', async () => ({
      recipients: [{ email: `${randomUUID()}@example.org` }],
    })),
    status: 201,
  },
  {
    ...tokenPost(
      'invitations',
      'issuer',
      async ({ creator }, sign) => ({
        recipients: [{ email: `${randomUUID()}@example.org` }],
        signature: await sign(creator, 'AllowlistedAddress'),
      }),
      { forged: { refusal: 'NotSignedByCreator', json: { signature: FORGED } }, isAllowlisted: true },
    ),
    status: 201,
  },
  {
    ...tokenPost('invitations/preview', 'issuer', async () => ({ name: 'Ada' })),
    status: 200,
  },
  { ...tokenPost('reminders', 'issuer', async () => ({ kind: 'claim' })), status: 202, isOperation: false },
  {
    route: `POST ${INVITATIONS}/:invitationId/resend`,
    access: 'issuer',
    status: 202,
    request: async (fixture) => ({ path: `${await createInvitation(fixture)}/resend` }),
    unknown: unknownToken(`${INVITATIONS}/${randomUUID()}/resend`),
    isOperation: false,
  },
  {
    route: `PATCH ${INVITATIONS}/:invitationId`,
    access: 'issuer',
    status: 200,
    request: async (fixture) => ({
      path: await createScheduledInvitation(fixture),
      json: { sendAtTimestamp: Date.now() + 7_200_000 },
    }),
    unknown: unknownToken(`${INVITATIONS}/${randomUUID()}`),
  },
  {
    route: `DELETE ${INVITATIONS}/:invitationId`,
    access: 'issuer',
    status: 204,
    request: async (fixture) => ({ path: await createInvitation(fixture) }),
    unknown: unknownToken(`${INVITATIONS}/${randomUUID()}`),
  },
  {
    route: 'POST /v1/communities/:communityId/cancelMails',
    access: 'issuer',
    status: 200,
    request: ({ openTokenId: tokenId }) => ({ path: '/v1/communities/demo/cancelMails', json: { tokenId } }),
    unknown: unknownCommunity('/v1/communities/:communityId/cancelMails'),
  },
  {
    ...tokenPost(
      'reservations',
      'public',
      async (fixture) => {
        const { code: claimCode } = await createRoomLink(fixture);
        return { email: `${randomUUID()}@example.org`, claimCode };
      },
      { isAllowlisted: true },
    ),
    isOperation: false,
  },
  {
    ...tokenPost(
      'reservations/confirm',
      'public',
      async (fixture) => ({ confirmationCode: (await createReservation(fixture)).confirmationCode }),
      { isAllowlisted: true },
    ),
    status: 200,
  },
  {
    route: 'POST /v1/communities/:communityId/resubscriptions',
    access: 'public',
    status: 202,
    isOperation: false,
    request: () => ({
      path: '/v1/communities/demo/resubscriptions',
      json: { email: `${randomUUID()}@example.org` },
    }),
  },
  {
    route: 'POST /v1/communities/:communityId/resubscriptions/confirm',
    access: 'public',
    status: 200,
    request: (fixture) => ({
      path: '/v1/communities/demo/resubscriptions/confirm',
      json: { confirmationCode: createResubscriptionCode(fixture) },
    }),
  },
  {
    route: 'POST /unsubscribe',
    access: 'public',
    status: 200,
    request: async (fixture) => ({ path: await createUnsubscribePath(fixture) }),
  },
  {
    ...tokenPost('checkClaimCode', 'public', async () => ({ claimCode: 'unknown' })),
    status: 200,
  },
  {
    route: 'POST /v1/checkOwners',
    access: 'public',
    status: 200,
    request: ({ openTokenId }) => ({
      path: '/v1/checkOwners',
      json: { addresses: [OTHER_WALLET.address], tokenIds: [openTokenId] },
    }),
    unknown: {
      refusal: 'TokenNotFound',
      json: { addresses: [OTHER_WALLET.address], tokenIds: [Number(UNKNOWN_TOKEN_ID)] },
    },
  },
  {
    route: 'POST /v1/ensNames',
    access: 'public',
    status: 200,
    request: () => ({ path: '/v1/ensNames', json: { addresses: [OTHER_WALLET.address] } }),
  },
  {
    ...tokenPost('snapshotScores', 'public', async () => ({ addresses: [OTHER_WALLET.address] })),
    status: 200,
  },
  {
    route: 'POST /v1/communities',
    access: 'operator',
    status: 201,
    request: () => ({ path: '/v1/communities', json: { displayId: 'made', name: randomUUID() } }),
  },
  {
    route: 'PATCH /v1/communities/:communityId',
    access: 'owner',
    status: 200,
    request: () => ({ path: '/v1/communities/demo', json: { description: randomUUID() } }),
    unknown: unknownCommunity('/v1/communities/:communityId'),
  },
  {
    route: `POST ${ISSUER_KEYS}`,
    access: 'owner',
    status: 201,
    request: async (fixture) => {
      await ageIssuerKeys(fixture);
      return { path: ISSUER_KEYS.replace(':communityId', 'demo'), json: {} };
    },
    unknown: unknownCommunity(ISSUER_KEYS),
  },
  {
    route: `POST ${MANAGED_CREATOR}/sign`,
    access: 'editor',
    status: 200,
    request: () => ({
      path: `${MANAGED_CREATOR.replace(':communityId', 'demo')}/sign`,
      json: { primaryType: 'Badge', message: toBadgeMessage(managedToken('demo')) },
    }),
    unknown: {
      ...unknownCommunity(`${MANAGED_CREATOR}/sign`),
      json: { message: toBadgeMessage(managedToken('nobody')) },
    },
  },
  {
    route: `POST ${MANAGED_CREATOR}/sign`,
    access: 'issuer',
    status: 200,
    request: ({ managedTokenId }) => ({
      path: `${MANAGED_CREATOR.replace(':communityId', 'demo')}/sign`,
      json: { primaryType: 'AllowlistedAddress', message: { tokenId: managedTokenId } },
    }),
    unknown: unknownCommunity(`${MANAGED_CREATOR}/sign`),
  },
  {
    route: `PUT ${MEMBERS}/:address`,
    access: 'owner',
    status: 201,
    request: () => ({
      path: `${MEMBERS.replace(':communityId', 'demo')}/${newWallet().address}`,
      json: { role: 'viewer' },
    }),
    unknown: unknownCommunity(`${MEMBERS}/${OTHER_WALLET.address}`),
  },
  {
    route: `DELETE ${MEMBERS}/:address`,
    access: 'owner',
    status: 204,
    request: async (fixture) => ({
      path: `${MEMBERS.replace(':communityId', 'demo')}/${await createMember(fixture)}`,
    }),
    unknown: unknownCommunity(`${MEMBERS}/${OTHER_WALLET.address}`),
  },
  {
    route: 'POST /v1/sessions/challenge',
    access: 'public',
    status: 200,
    request: () => ({ path: '/v1/sessions/challenge', json: { address: OTHER_WALLET.address } }),
  },
  {
    route: 'POST /v1/sessions/emailChallenge',
    access: 'public',
    status: 202,
    isOperation: false,
    request: () => ({
      path: '/v1/sessions/emailChallenge',
      json: { email: `${randomUUID()}@example.org` },
    }),
  },
  {
    route: 'POST /v1/sessions',
    access: 'public',
    status: 201,
    request: async ({ service }) => ({
      path: '/v1/sessions',
      json: await signedChallenge(service, newWallet()),
    }),
    forged: { refusal: 'NotSignedByAddress', json: { signature: FORGED } },
  },
  {
    route: `POST ${API_KEYS}`,
    access: 'owner',
    status: 201,
    request: () => ({ path: API_KEYS.replace(':communityId', 'demo'), json: { name: 'made' } }),
    unknown: unknownCommunity(API_KEYS),
  },
  {
    route: `DELETE ${API_KEYS}/:apiKeyId`,
    access: 'owner',
    status: 204,
    request: async ({ service }) => ({
      path: `/v1/communities/demo/apiKeys/${(await createApiKey(service, 'demo')).apiKeyId}`,
    }),
    unknown: unknownCommunity(`${API_KEYS}/${randomUUID()}`),
  },
  {
    route: `POST ${WEBHOOKS}`,
    access: 'owner',
    status: 201,
    request: async (fixture) => {
      await deleteWebhooks(fixture);
      return {
        path: WEBHOOKS.replace(':communityId', 'demo'),
        json: { name: 'made', url: 'http://localhost:9/', events: ['invitation.failed'] },
      };
    },
    unknown: unknownCommunity(WEBHOOKS),
  },
  webhookRow('PATCH', { status: 200, json: { name: 'changed' } }),
  webhookRow('DELETE', { status: 204 }),
  webhookRow('POST', { rest: '/rotateSecret', status: 200 }),
  webhookRow('POST', { rest: '/test', status: 201 }),
  {
    route: `POST ${WEBHOOKS}/:webhookId/deliveries/:deliveryId/redeliver`,
    access: 'owner',
    status: 201,
    request: async (fixture) => ({ path: `${await createWebhookDelivery(fixture)}/redeliver` }),
    unknown: unknownCommunity(`${WEBHOOKS}/${randomUUID()}/deliveries/${randomUUID()}/redeliver`),
  },
  {
    route: `POST ${NFT_TYPES}`,
    access: 'editor',
    status: 201,
    request: () => ({ path: NFT_TYPES.replace(':communityId', 'demo'), form: nftTypeForm() }),
    unknown: unknownCommunity(NFT_TYPES),
  },
  {
    route: `POST ${EXPORTS}`,
    access: 'owner',
    status: 202,
    request: () => ({ path: EXPORTS.replace(':communityId', 'demo'), json: { people: 'none' } }),
    unknown: unknownCommunity(EXPORTS),
  },
  {
    route: `POST ${IMPORTS}`,
    access: 'owner',
    status: 202,
    request: () => ({ path: IMPORTS.replace(':communityId', 'demo'), form: importForm() }),
    unknown: unknownCommunity(IMPORTS),
  },
  {
    route: `DELETE ${NFT_TYPES}/:nftTypeId`,
    access: 'editor',
    status: 204,
    request: async (fixture) => ({ path: `/v1/communities/demo/nftTypes/${await createNftType(fixture)}` }),
    unknown: { refusal: 'NftTypeNotFound', path: '/v1/communities/demo/nftTypes/nothing' },
  },
  {
    route: 'POST /sandbox-chain',
    access: 'public',
    status: 200,
    request: () => ({ path: '/sandbox-chain', json: { jsonrpc: '2.0', id: 1, method: 'eth_chainId' } }),
  },
  ...(['PUT', 'DELETE'] as const).flatMap((method): Row[] => [
    {
      route: `${method} /v1/sessions/current/hiddenTokens/:tokenId`,
      access: 'session',
      status: 204,
      request: async (fixture) => {
        await giveToSessions(fixture);
        return { path: `/v1/sessions/current/hiddenTokens/${fixture.openTokenId}` };
      },
      unknown: {
        refusal: 'TokenNotFound',
        path: `/v1/sessions/current/hiddenTokens/${UNKNOWN_TOKEN_ID}`,
      },
    },
    {
      route: `${method} /v1/sessions/current/refusedCommunities/:communityId`,
      access: 'session',
      status: 204,
      request: () => ({ path: '/v1/sessions/current/refusedCommunities/demo' }),
      unknown: { refusal: 'CommunityNotFound', path: '/v1/sessions/current/refusedCommunities/nobody' },
    },
  ]),
  // After the rows of hidden tokens: it moves the badges of the session by e-mail.
  {
    route: 'POST /v1/sessions/current/moveBadges',
    access: 'emailOnly',
    status: 202,
    request: async (fixture) => ({
      path: '/v1/sessions/current/moveBadges',
      json: await signMoveBadges(fixture),
    }),
    forged: { refusal: 'NotSignedByReceiver', json: { signature: FORGED } },
  },
  {
    route: 'DELETE /v1/sessions/current/defaultAddress',
    access: 'emailOnly',
    status: 204,
    request: () => ({ path: '/v1/sessions/current/defaultAddress' }),
  },
  { route: 'OPTIONS /v1*', access: 'public', status: 204, request: () => ({ path: '/v1/communities' }) },
];

const GET_ROWS: Row[] = [
  readOfDemo(MEMBERS, 'viewer'),
  read('/v1/sessions', 'session'),
  read('/v1/sessions/current', 'session'),
  read('/v1/sessions/current/tokens', 'session'),
  read('/v1/sessions/current/refusedCommunities', 'session'),
  read('/v1/caller', 'credential'),
  read('/v1/tokens', 'public'),
  readOfDemo('/v1/communities/:communityId/events', 'viewer'),
  read('/v1/auditLog', 'operator'),
  read('/v1/auditLog?communityId=demo', 'viewer', { pattern: '/v1/auditLog' }),
  readToken('/v1/tokens/:tokenId', 'public'),
  readToken('/v1/tokens/:tokenId/owners', 'public'),
  {
    route: `GET ${OWNER}`,
    access: 'public',
    status: 200,
    request: async (fixture) => ({
      path: pathOfOwner(OWNER, fixture.openTokenId, (await createOwner(fixture)).address),
    }),
    unknown: { refusal: 'TokenNotFound', path: pathOfOwner(OWNER, UNKNOWN_TOKEN_ID, OTHER_WALLET.address) },
  },
  {
    route: `GET ${CREDENTIAL}`,
    access: 'public',
    status: 200,
    request: async (fixture) => ({
      path: pathOfOwner(CREDENTIAL, fixture.openTokenId, (await createOwner(fixture)).address),
    }),
    unknown: {
      refusal: 'TokenNotFound',
      path: pathOfOwner(CREDENTIAL, UNKNOWN_TOKEN_ID, OTHER_WALLET.address),
    },
  },
  {
    route: `GET ${CREDENTIAL}`,
    access: 'ownerSession',
    status: 200,
    request: async (fixture) => ({
      path: `${pathOfOwner(CREDENTIAL, fixture.openTokenId, await giveToOwnerSession(fixture))}?with=identity`,
    }),
    unknown: {
      refusal: 'TokenNotFound',
      path: `${pathOfOwner(CREDENTIAL, UNKNOWN_TOKEN_ID, OTHER_WALLET.address)}?with=identity`,
    },
  },
  {
    route: 'GET /status/:listId',
    access: 'public',
    status: 200,
    request: async (fixture) => ({ path: await createStatusListPath(fixture) }),
    unknown: { refusal: 'StatusListNotFound', path: `/status/${randomUUID()}` },
  },
  readToken('/v1/tokens/:tokenId/contributors', 'viewer'),
  readToken(CLAIM_LINKS, 'viewer'),
  readToken(INVITATIONS, 'viewer'),
  readToken(RECIPIENTS, 'viewer'),
  {
    route: `PUT ${RECIPIENTS}`,
    access: 'issuer',
    status: 200,
    request: async (fixture) => ({
      path: RECIPIENTS.replace(':tokenId', String(fixture.allowlistedTokenId)),
      json: { items: [{ contributor: await addContributor(fixture), name: 'Ada' }] },
    }),
    unknown: unknownToken(RECIPIENTS),
  },
  {
    route: `PATCH ${RECIPIENTS}/:recipientId`,
    access: 'issuer',
    status: 200,
    request: async (fixture) => ({ path: await createRecipient(fixture), json: { name: 'Ada' } }),
    unknown: unknownToken(`${RECIPIENTS}/${randomUUID()}`),
  },
  {
    route: `GET ${RECIPIENTS}/:recipientId/history`,
    access: 'viewer',
    status: 200,
    request: async (fixture) => ({ path: `${await createRecipient(fixture)}/history` }),
    unknown: unknownToken(`${RECIPIENTS}/${randomUUID()}/history`),
  },
  {
    route: `GET ${INVITATIONS}/:invitationId/mail`,
    access: 'issuer',
    status: 200,
    request: async (fixture) => ({ path: `${await createInvitation(fixture)}/mail` }),
    unknown: unknownToken(`${INVITATIONS}/${randomUUID()}/mail`),
  },
  {
    route: 'GET /unsubscribe',
    access: 'public',
    status: 200,
    request: async (fixture) => ({ path: await createUnsubscribePath(fixture) }),
  },
  readToken('/v1/tokens/:tokenId/eligibility', 'public', `?address=${OTHER_WALLET.address}`),
  {
    route: 'GET /v1/operations/:operationId',
    access: 'public',
    status: 200,
    request: ({ operationId }) => ({ path: `/v1/operations/${operationId}` }),
    unknown: { refusal: 'OperationNotFound', path: `/v1/operations/${randomUUID()}` },
  },
  read(`/v1/wallets/${OTHER_WALLET.address}/tokens`, 'public', { pattern: '/v1/wallets/:address/tokens' }),
  read('/v1/communities', 'operator'),
  readOfDemo('/v1/communities/:communityId', 'public'),
  readOfDemo('/v1/communities/:communityId/tokens', 'public'),
  readOfDemo('/v1/communities/:communityId/tokens?isHidden=true', 'viewer'),
  readOfDemo('/v1/communities/:communityId/configuration', 'viewer'),
  readOfDemo(ISSUER_KEYS, 'public'),
  readOfDemo(MANAGED_CREATOR, 'viewer'),
  readOfDemo(NFT_TYPES, 'viewer'),
  {
    ...readOfDemo(`${NFT_TYPES}/:nftTypeId/preview`, 'editor'),
    request: () => ({ path: '/v1/communities/demo/nftTypes/defaultOrangeRed/preview?headline=A' }),
    unknown: unknownCommunity(`${NFT_TYPES}/defaultOrangeRed/preview?headline=A`),
  },
  {
    ...readOfDemo(`${EXPORTS}/:exportId`, 'owner'),
    request: async ({ service }) => {
      const { exportId } = await insertExport(service);
      return { path: `/v1/communities/demo/exports/${exportId}` };
    },
  },
  {
    ...readOfDemo(`${IMPORTS}/:importId`, 'owner'),
    request: async ({ service }) => ({
      path: `/v1/communities/demo/imports/${await insertImport(service)}`,
    }),
  },
  {
    route: 'GET /exports/:exportId',
    access: 'public',
    status: 200,
    request: async ({ service }) => ({ path: (await insertExport(service)).downloadPath }),
    unknown: {
      refusal: 'ExportNotFound',
      path: `/exports/1?download=0&expires=0&signature=${'0'.repeat(64)}`,
    },
  },
  readOfDemo(API_KEYS, 'owner'),
  readOfDemo(WEBHOOKS, 'owner'),
  webhookRow('GET', { rest: '/deliveries', status: 200 }),
  read('/v1/environment', 'public'),
  { ...readToken('/images/token/:tokenId.png', 'public'), route: 'GET /images/token/:tokenId.:extension' },
  read('/images/nft/defaultOrangeRed.png', 'public', { pattern: '/images/nft/:id.:extension' }),
  read('/images/logo.png', 'public'),
  readToken('/metadata/:tokenId', 'public'),
  {
    route: 'GET /oembed',
    access: 'public',
    status: 200,
    request: ({ service, openTokenId }) => ({ path: oembedPath(service, openTokenId) }),
    unknown: { refusal: 'NotFound', path: '/oembed?url=https://other.example/token/1' },
  },
  read('/openapi.json', 'public'),
  ...['errors', 'bad-input', 'json', 'yaml', 'static/swagger-initializer.js'].map((page) =>
    read(`/docs/${page}`, 'public'),
  ),
  read('/docs', 'public'),
  { ...read('/docs/static/index.html', 'public'), status: 302 },
  read('/docs/static/swagger-ui.css', 'public', { pattern: '/docs/static/*' }),
  ...['badge.css', 'badge.js'].map((file) => read(`/docs/static/theme/${file}`, 'public')),
  ...WEB_PAGES.map(readPage),
  ...['/from/:communityId/:service/:id', '/from/:communityId/:service/:id/claim'].map(
    (path): Row => ({
      route: `GET ${path}`,
      access: 'public',
      status: 302,
      request: async ({ service }) => {
        const token = arrivingToken();
        await importInto(service, [token]);
        return { path: path.replace(':communityId/:service/:id', `demo/badges.example/${token.source.id}`) };
      },
    }),
  ),
  read('/favicon.svg', 'public'),
  { ...read('/sdk.tgz', 'public'), status: 302 },
  read(`/sdk-${VERSION}.tgz`, 'public', { pattern: '/sdk-:version.tgz' }),
  read('/theme.js', 'public'),
  {
    route: 'GET /assets/:name',
    access: 'public',
    status: 200,
    request: async ({ service }) => {
      const html = await (await service.call('/')).text();
      // Without built web pages, the failed request names the command to run.
      return { path: /\/assets\/[^"]+/.exec(html)?.[0] ?? '/assets/needs-npm-run-prepare' };
    },
  },
];

/** Routes of every process, including workers. */
export const HEALTH_ROWS: Row[] = [
  read('/healthz', 'public'),
  read('/readyz', 'public'),
  read('/metrics', 'public'),
];

/**
 * Some rows of a production service. In production, /metrics needs the key of the operator, or that of the
 * metrics.
 */
export const PRODUCTION_ROWS: Row[] = [
  read('/metrics', 'metrics'),
  readOfDemo('/v1/communities/:communityId/configuration', 'viewer'),
  read('/v1/communities', 'operator'),
];

/** They come last, because they end the sessions of the roles. Their requests begin them again. */
const SIGN_OUT_ROWS = ['/v1/sessions/current', '/v1/sessions'].map(
  (path): Row => ({
    route: `DELETE ${path}`,
    access: 'session',
    status: 204,
    request: async ({ service, keys }) => {
      const others = [keys.sessionOfOther, keys.emailSession, keys.ownerSession.token];
      const tokens = [...Object.values(keys.sessions), ...others];
      await query(service.databaseUrl, 'update sessions set ended_at = null where token_hash = any($1)', [
        tokens.map(hashKey),
      ]);
      return { path };
    },
  }),
);

/**
 * The rows of a sandbox service. The row of a GET also covers its HEAD. Routes that return 405 have no row.
 */
export const ROWS: Row[] = [...NON_GET_ROWS, ...GET_ROWS, ...HEALTH_ROWS, ...SIGN_OUT_ROWS];
