import { randomUUID } from 'node:crypto';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import { sampleFiles } from '../sample-files.ts';
import type { Body } from '../shapes.ts';
import type { UnencodedRequest } from './encode-request.ts';
import type { TestData } from './test-data.ts';

type Recipe = (data: TestData, unencoded: UnencodedRequest, body: Body) => Promise<Partial<UnencodedRequest>>;

const files = Object.values(sampleFiles);
/** Replaces a generated URL by one that the service accepts. */
const toLogoUrl = (value: unknown) =>
  typeof value === 'string' ? `https://example.org/${value.length}` : value;
/** Returns a start that is not after the end. A start or end of 0 or null is absent. */
const limitStart = (start: unknown, end: unknown) =>
  Number(start) > 0 && Number(end) > 0 && Number(start) > Number(end) ? end : start;
const newEmail = () => `${randomUUID()}@example.org`;
/** A name without an address. */
const RECEIVER = 'https://receiver.invalid/';
const inAnHour = () => Date.now() + 3_600_000;
/** Replaces the times of a room link, which must end within 90 days and start before its end. */
const toRoomTimes = (body: Body) => ({
  ...(body.startsAtTimestamp ? { startsAtTimestamp: Date.now() } : {}),
  ...('expiresAtTimestamp' in body ? { expiresAtTimestamp: inAnHour() } : {}),
});

/** Replaces the operator's key, the only key that is sent as `Bearer`, by the token of a new session. */
const withSession: Recipe = async (data, { headers }) => await withSessionOf(data, headers, newWallet());

async function withSessionOf(
  data: TestData,
  headers: UnencodedRequest['headers'],
  wallet: Wallet,
): Promise<Partial<UnencodedRequest>> {
  if (!String(headers.Authorization).startsWith('Bearer ')) return {};
  return { headers: { ...headers, Authorization: `Bearer ${await data.createSession(wallet)}` } };
}

/** The recipient of an invitation, which is made for the request. */
async function recipientParams(data: TestData) {
  return {
    params: { tokenId: String(data.tokens.open), recipientId: await data.createRecipient() },
  };
}

/** At most one of the two fields that say when a badge ends. */
function oneEnd(body: Record<string, unknown>): object {
  return body.validUntilTimestamp ? { validityDays: null } : {};
}

/** By operation id: completes a valid request with signatures and ids, which a schema cannot express. */
export const recipes: Record<string, Recipe> = {
  createToken: async (data, _unencoded, body) => {
    const isOpen = body.isAllowlistRequired === false;
    return {
      body: await data.signCreation({
        ...body,
        nftTypeId: 'defaultBlueGreen',
        startDateTimestamp: limitStart(body.startDateTimestamp, body.endDateTimestamp),
        contributors: isOpen ? body.contributors : [data.listed.address, `${newWallet().address.slice(2)}@x`],
        totalClaimCount: isOpen ? Number(body.totalClaimCount) || 1 : null,
        customAttributes: matchAttributes(body.customAttributes),
        ...oneEnd(body),
      }),
    };
  },
  claimToken: async (data, _unencoded, { signature, identifier }) => {
    // The optional fields of the generated body decide which token is claimed. Claims of some of these tokens
    // fail.
    const { signed, open, exhausted, expired } = data.tokens;
    const failing = String(identifier).length % 2 === 0 ? exhausted : expired;
    const unsigned = identifier ? failing : open;
    const tokenId = signature ? signed : unsigned;
    const claimer = newWallet();
    const proof = signature ? { signature: await data.signTokenId(claimer, 'Claim', tokenId) } : {};
    return { params: { tokenId: String(tokenId) }, body: { claimingAddress: claimer.address, ...proof } };
  },
  burnToken: async (data) => {
    const [tokenId, owner] = [data.tokens.open, newWallet()];
    await data.giveToken(tokenId, owner.address);
    const signature = await data.signTokenId(owner, 'Burn', tokenId);
    return { params: { tokenId: String(tokenId) }, body: { burningAddress: owner.address, signature } };
  },
  addContributors: async (data) => ({
    params: { tokenId: String(data.tokens.allowlisted) },
    body: {
      contributors: [newWallet().address],
      signature: await data.signTokenId(data.creator, 'AllowlistedAddress', data.tokens.allowlisted),
    },
  }),
  removeContributors: async (data) => ({
    params: { tokenId: String(data.tokens.allowlisted) },
    body: { contributors: [await data.addContributor()] },
  }),
  renewToken: async (data, _unencoded, body) => {
    const { address } = newWallet();
    await data.giveToken(data.tokens.open, address);
    return {
      params: { tokenId: String(data.tokens.open) },
      body: { ...body, addresses: [address], validUntilTimestamp: inAnHour() },
    };
  },
  replaceToken: async (data) => {
    const { tokenId, replacementTokenId } = await data.createReplacement();
    return { params: { tokenId: String(tokenId) }, body: { replacementTokenId } };
  },
  readOwner: async (data) => {
    const { address } = newWallet();
    await data.giveToken(data.tokens.open, address);
    return { params: { tokenId: String(data.tokens.open), address } };
  },
  readCredential: async (data, { query, headers }) => {
    const owner = newWallet();
    await data.giveToken(data.tokens.open, owner.address);
    const params = { tokenId: String(data.tokens.open), address: owner.address };
    if (!query.some(([name, value]) => name === 'with' && value !== '')) {
      return { params, query: query.filter(([name]) => name !== 'name') };
    }
    const { 'X-API-Key': _, ...others } = headers;
    return {
      params,
      headers: { ...others, Authorization: `Bearer ${await data.createSession(owner)}` },
      query: query.map(([name, value]) => [name, name === 'name' ? `Ada ${value.length}` : value]),
    };
  },
  readStatusList: async (data) => ({ params: { listId: await data.readStatusListId() } }),
  revokeToken: async (data) => {
    const { address } = newWallet();
    await data.giveToken(data.tokens.open, address);
    return { params: { tokenId: String(data.tokens.open), address } };
  },
  reinstateToken: async (data) => {
    const { address } = newWallet();
    await data.giveToken(data.tokens.open, address);
    await data.revokeToken(data.tokens.open, address);
    return { params: { tokenId: String(data.tokens.open), address } };
  },
  moveToken: async (data, _unencoded, body) => {
    const { address } = newWallet();
    await data.giveToken(data.tokens.open, address);
    return {
      params: { tokenId: String(data.tokens.open), address },
      body: { ...body, toAddress: newWallet().address },
    };
  },
  createClaimLinks: async (
    data,
    _unencoded,
    { count, signature, identifiers, maxClaims, people: _people, ...fields },
  ) => {
    const { open, allowlisted } = data.tokens;
    if (maxClaims) {
      const creatorSignature = await data.signTokenId(data.creator, 'AllowlistedAddress', allowlisted);
      const times = { ...toRoomTimes(fields), expiresAtTimestamp: inAnHour() };
      return {
        params: { tokenId: String(allowlisted) },
        body: { ...fields, maxClaims, signature: creatorSignature, ...times },
      };
    }
    const expiresAtTimestamp = signature ? null : 8_640_000_000_000_000;
    if (!identifiers && !signature) {
      return { params: { tokenId: String(open) }, body: { count: count ?? 1, expiresAtTimestamp } };
    }
    const links = identifiers
      ? { identifiers: ['ada.eth'] }
      : { count: 2, signature: await data.signTokenId(data.creator, 'AllowlistedAddress', allowlisted) };
    return { params: { tokenId: String(allowlisted) }, body: { ...links, expiresAtTimestamp } };
  },
  setRecipients: async (data, _unencoded, body) => {
    const { address } = newWallet();
    await data.giveToken(data.tokens.open, address);
    const [item] = (body.items ?? []) as Body[];
    return {
      params: { tokenId: String(data.tokens.open) },
      body: { items: [{ ...item, contributor: address, email: null }] },
    };
  },
  // A generated e-mail is seldom valid.
  updateRecipient: async (data, _unencoded, body) => ({
    ...(await recipientParams(data)),
    body: { ...body, email: null },
  }),
  listRecipientHistory: recipientParams,
  // Without `chainId`, which must be a chain that the service knows.
  createSignInChallenge: async (_data, _unencoded, body) => ({ body: { ...body, chainId: null } }),
  checkOwners: async (data) => ({
    body: { addresses: [data.listed.address, newWallet().address], tokenIds: Object.values(data.tokens) },
  }),
  readSnapshotScores: async (data) => ({ params: { tokenId: String(data.tokens.open) } }),
  updateClaimLink: async (data, _unencoded, body) => ({
    params: { tokenId: String(data.tokens.allowlisted), claimLinkId: await data.createRoomLink() },
    body: { ...body, ...toRoomTimes(body) },
  }),
  revokeClaimLink: async (data) => ({
    params: { tokenId: String(data.tokens.open), claimLinkId: await data.createClaimLink() },
  }),
  createInvitations: async (
    data,
    _unencoded,
    { recipients, signature, sendAtTimestamp: _sendAt, ...fields },
  ) => {
    const tokenId = signature ? data.tokens.allowlisted : data.tokens.open;
    return {
      params: { tokenId: String(tokenId) },
      body: {
        ...fields,
        recipients: (recipients as Body[]).map(({ language }) => ({
          language,
          email: newEmail(),
          name: 'Ada',
        })),
        // 0 is a time too: it has passed.
        ...('expiresAtTimestamp' in fields ? { expiresAtTimestamp: inAnHour() } : {}),
        ...(signature
          ? { signature: await data.signTokenId(data.creator, 'AllowlistedAddress', tokenId) }
          : {}),
      },
    };
  },
  cancelMails: async (data, _unencoded, body) => ({
    params: { communityId: data.communityId },
    body: {
      ...body,
      ...(body.tokenId ? { tokenId: data.tokens.open } : {}),
      ...('email' in body ? { email: newEmail() } : {}),
    },
  }),
  previewInvitation: async (data, _unencoded, { name: _, ...body }) => ({
    params: { tokenId: String(data.tokens.open) },
    body,
  }),
  createReminders: async (data, _unencoded, { kind }) => ({
    params: { tokenId: String(data.tokens.open) },
    body: { kind },
  }),
  resendInvitation: invitationParams,
  // A generated time is seldom within 90 days.
  updateInvitation: async (data, _unencoded, { sendAtTimestamp }) => ({
    params: { tokenId: String(data.tokens.open), invitationId: await data.createInvitation(true) },
    body: { sendAtTimestamp: sendAtTimestamp ? Date.now() + 7_200_000 : null },
  }),
  revokeInvitation: invitationParams,
  createReservation: async (data, _unencoded, { language }) => ({
    params: { tokenId: String(data.tokens.open) },
    body: { language, email: newEmail(), claimCode: await data.createClaimCode() },
  }),
  createResubscription: async (data, _unencoded, { language }) => ({
    params: { communityId: data.otherCommunityId },
    body: { language, email: newEmail() },
  }),
  createEmailChallenge: async (_data, _unencoded, { language }) => ({
    body: { language, email: newEmail(), returnPath: '/token/1' },
  }),
  airdropToken: async (data) => ({ params: { tokenId: String(data.tokens.open) } }),
  communityAdminAirdrop: adminAirdrop,
  communityAdminAirdropWithoutConsentSig: adminAirdrop,
  updateToken: async (data, _unencoded, body) => ({
    params: { tokenId: String(data.tokens.expired) },
    body: { ...body, ...oneEnd(body) },
  }),
  createCommunity: async (_data, _unencoded, body) => ({
    body: { ...body, logoUrl: toLogoUrl(body.logoUrl) },
  }),
  updateCommunity: async (data, _unencoded, body) => ({
    params: { communityId: data.otherCommunityId },
    body: {
      ...body,
      ...('uniqId' in body ? { uniqId: data.otherCommunityId } : {}),
      logoUrl: toLogoUrl(body.logoUrl),
    },
  }),
  signWithManagedCreator: async (data, _unencoded, { primaryType, message }) => ({
    params: { communityId: data.communityId },
    body: {
      primaryType,
      message: primaryType === 'Badge' ? toBadge(data, message as Body) : { tokenId: data.tokens.managed },
    },
  }),
  setMember: async (data) => ({
    params: { communityId: data.communityId, address: newWallet().address },
  }),
  removeMember: async (data) => {
    const { communityId } = data;
    return { params: { communityId, address: await data.createMember(communityId) } };
  },
  readSession: withSession,
  listOwnTokens: withSession,
  hideOwnToken: async (data, { headers }) => {
    const owner = newWallet();
    await data.giveToken(data.tokens.open, owner.address);
    return {
      ...(await withSessionOf(data, headers, owner)),
      params: { tokenId: String(data.tokens.open) },
    };
  },
  showOwnToken: async (data, sent, body) => ({
    ...(await withSession(data, sent, body)),
    params: { tokenId: String(data.tokens.open) },
  }),
  listRefusedCommunities: withSession,
  refuseCommunity: async (data, sent, body) => ({
    ...(await withSession(data, sent, body)),
    params: { communityId: data.communityId },
  }),
  acceptCommunity: async (data, sent, body) => ({
    ...(await withSession(data, sent, body)),
    params: { communityId: data.communityId },
  }),
  listSessions: withSession,
  signOut: withSession,
  signOutEverywhere: withSession,
  signIn: async (data) => ({ body: { ...(await data.signChallenge()) } }),
  createApiKey: async (_data, _unencoded, body) => ({
    body: { ...body, expiresAtTimestamp: body.expiresAtTimestamp === null ? null : 8_640_000_000_000_000 },
  }),
  revokeApiKey: async (data) => {
    const { apiKeyId } = await data.createKey(data.communityId);
    return { params: { communityId: data.communityId, apiKeyId } };
  },
  createWebhook: async (data, _unencoded, body) => {
    await data.deleteWebhooks();
    return { params: { communityId: data.communityId }, body: { ...body, url: RECEIVER } };
  },
  updateWebhook: async (data, _unencoded, body) => ({
    params: await data.createWebhook(),
    body: { ...body, ...('url' in body ? { url: RECEIVER } : {}) },
  }),
  deleteWebhook: async (data) => ({ params: await data.createWebhook() }),
  rotateWebhookSecret: async (data) => ({ params: await data.createWebhook() }),
  testWebhook: async (data) => ({ params: await data.createWebhook() }),
  listWebhookDeliveries: async (data) => ({ params: await data.createWebhook() }),
  redeliverWebhook: async (data) => ({ params: await data.createWebhookDelivery() }),
  // A cursor comes from an earlier response.
  readEvents: async (_data, { query }) => ({ query: query.filter(([name]) => name !== 'after') }),
  createNftType: async (data, _unencoded, body) => {
    await data.makeRoomForNftTypes();
    // The generated file is text. Its length chooses the real file that replaces it.
    return { body: { ...body, assetFile: files[String(body.assetFile).length % files.length] } };
  },
  // Only `encrypted` needs a recipient, and nobody has generated one.
  exportCommunity: async (_data, _unencoded, { people }) => ({
    body: { people: people === 'encrypted' ? 'plain' : people },
  }),
  readExport: async (data) => ({ params: await data.ensureExport() }),
  importBadges: async (_data, _unencoded, { mapping: _, ...body }) => ({
    body: { ...body, file: Buffer.from('headline\nGenerated\n') },
  }),
  readImport: async (data) => ({ params: await data.ensureImport() }),
  deleteNftType: async (data) => ({
    params: { communityId: data.otherCommunityId, nftTypeId: await data.ensureNftType() },
  }),
  readTokenImage: async (_data, { params }) => ({ params: { ...params, extension: 'png' } }),
  readOEmbed: async (data, { query }) => {
    const values: Record<string, string> = { url: data.pageUrl, format: 'json' };
    return { query: query.map(([name, value]) => [name, values[name] ?? value]) };
  },
  readNftTypePicture: async (data, { params }) => {
    const nftTypeIds = data.ids.nftTypeId ?? [];
    const id = nftTypeIds[String(params.id).length % nftTypeIds.length] ?? '';
    return { params: { id, extension: 'png' } };
  },
};

async function invitationParams(data: TestData): Promise<Partial<UnencodedRequest>> {
  return { params: { tokenId: String(data.tokens.open), invitationId: await data.createInvitation() } };
}

async function adminAirdrop(
  data: TestData,
  { operation }: UnencodedRequest,
): Promise<Partial<UnencodedRequest>> {
  const [tokenId, receiver] = [data.tokens.allowlisted, newWallet()];
  const consent = operation.operationId === 'communityAdminAirdrop' && {
    receiverSignature: await data.signTokenId(receiver, 'CommunityAdminAirdropReceiverConsent', tokenId),
  };
  const body = {
    receivingAddress: receiver.address,
    adminAddress: data.admin.address,
    adminSignature: await data.signTokenId(data.admin, 'CommunityAdminAirdrop', tokenId),
    ...consent,
  };
  return { params: { tokenId: String(tokenId) }, body };
}

/** Renames each attribute, because some names are reserved, and sets `type` to the type of its value. */
function matchAttributes(attributes: unknown): unknown {
  if (!Array.isArray(attributes)) return attributes;
  return attributes.map(({ fieldName, value }: Body, index) => ({
    fieldName: `${index}_${[...String(fieldName)].slice(0, 60).join('')}`,
    type: typeof value,
    value,
  }));
}

/** Completes a generated message of the type `Badge`. */
function toBadge(data: TestData, { tokenId: _, ...message }: Body): Body {
  const badge: Body = { ...data.badge, ...message, communityUniqId: data.communityId };
  return {
    ...badge,
    startDateTimestamp: limitStart(badge.startDateTimestamp, badge.endDateTimestamp),
    totalClaimCount: badge.isAllowlistRequired ? 0 : Number(badge.totalClaimCount) || 1,
  };
}
