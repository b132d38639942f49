import { newWallet } from '@badge/test-support/signing';
import { sampleFiles } from '../sample-files.ts';
import type { Body } from '../shapes.ts';
import type { Draft } from './drafts.ts';
import type { World } from './world.ts';

type Recipe = (world: World, draft: Draft, body: Body) => Promise<Partial<Draft>>;

const files = Object.values(sampleFiles);
const logoUrl = (value: unknown) =>
  typeof value === 'string' ? `https://example.org/${value.length}` : value;
const lowest = (a: unknown, b: unknown) => (Number(a) > 0 && Number(b) > 0 && Number(a) > Number(b) ? b : a);

/** What a schema cannot say of a right request: signatures, what must be there already, what must be new. */
export const recipes: Record<string, Recipe> = {
  createToken: async (world, _draft, body) => {
    const isOpen = body.isAllowlistRequired === false;
    return {
      body: await world.signToken({
        ...body,
        nftTypeId: 'defaultBlueGreen',
        startDateTimestamp: lowest(body.startDateTimestamp, body.endDateTimestamp),
        contributors: isOpen
          ? body.contributors
          : [world.listed.address, `${newWallet().address.slice(2)}@x`],
        totalClaimCount: isOpen ? Number(body.totalClaimCount) || 1 : null,
        customAttributes: matchAttributes(body.customAttributes),
      }),
    };
  },
  claimToken: async (world, _draft, { signature, identifier }) => {
    const { signed, open, exhausted, expired } = world.tokens;
    const closed = String(identifier).length % 2 === 0 ? exhausted : expired;
    const [tokenId, claimer] = [signature ? signed : identifier ? closed : open, newWallet()];
    const proof = signature ? { signature: await world.signTokenId(claimer, 'Claim', tokenId) } : {};
    return { params: { tokenId: String(tokenId) }, body: { claimingAddress: claimer.address, ...proof } };
  },
  burnToken: async (world) => {
    const [tokenId, owner] = [world.tokens.open, newWallet()];
    await world.hold(tokenId, owner.address);
    const signature = await world.signTokenId(owner, 'Burn', tokenId);
    return { params: { tokenId: String(tokenId) }, body: { burningAddress: owner.address, signature } };
  },
  addContributors: async (world) => ({
    params: { tokenId: String(world.tokens.allowlisted) },
    body: {
      contributors: [newWallet().address],
      signature: await world.signTokenId(world.creator, 'AllowlistedAddress', world.tokens.allowlisted),
    },
  }),
  airdropToken: async (world) => ({ params: { tokenId: String(world.tokens.open) } }),
  communityAdminAirdrop: adminAirdrop,
  communityAdminAirdropWithoutConsentSig: adminAirdrop,
  updateToken: async (world) => ({ params: { tokenId: String(world.tokens.expired) } }),
  createCommunity: async (_world, _draft, body) => ({ body: { ...body, logoUrl: logoUrl(body.logoUrl) } }),
  updateCommunity: async (world, _draft, body) => ({
    params: { communityId: world.foreign },
    body: { ...body, logoUrl: logoUrl(body.logoUrl) },
  }),
  createApiKey: async (_world, _draft, body) => ({
    body: { ...body, expiresAtTimestamp: body.expiresAtTimestamp === null ? null : 8_640_000_000_000_000 },
  }),
  revokeApiKey: async (world) => {
    const { apiKeyId } = await world.createKey(world.community);
    return { params: { communityId: world.community, apiKeyId } };
  },
  createNftType: async (world, _draft, body) => {
    await world.makeRoom();
    return { body: { ...body, assetFile: files[String(body.assetFile).length % files.length] } };
  },
  deleteNftType: async (world) => ({
    params: { communityId: world.foreign, nftTypeId: await world.findNftType() },
  }),
  readTokenImage: async (_world, { params }) => ({ params: { ...params, extension: 'png' } }),
  readNftTypePicture: async (world, { params }) => {
    const types = world.ids.nftTypeId ?? [];
    const id = types[String(params.id).length % types.length] ?? '';
    return { params: { id, extension: 'png' } };
  },
};

async function adminAirdrop(world: World, { operation }: Draft): Promise<Partial<Draft>> {
  const [tokenId, receiver] = [world.tokens.allowlisted, newWallet()];
  const consent = operation.operationId === 'communityAdminAirdrop' && {
    receiverSignature: await world.signTokenId(receiver, 'CommunityAdminAirdropReceiverConsent', tokenId),
  };
  const body = {
    receivingAddress: receiver.address,
    adminAddress: world.admin.address,
    adminSignature: await world.signTokenId(world.admin, 'CommunityAdminAirdrop', tokenId),
    ...consent,
  };
  return { params: { tokenId: String(tokenId) }, body };
}

/** Names each attribute anew, since some names are reserved, and lets its type say what its value is. */
function matchAttributes(attributes: unknown): unknown {
  if (!Array.isArray(attributes)) return attributes;
  return attributes.map(({ fieldName, value }: Body, index) => ({
    fieldName: `${index}_${[...String(fieldName)].slice(0, 60).join('')}`,
    type: typeof value,
    value,
  }));
}
