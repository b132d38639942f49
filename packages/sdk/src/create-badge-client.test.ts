import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Eip712, newAddress, newWallet, SANDBOX } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { Wallet as EthersWallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmailSession } from '../../service/src/testing/email-sessions.ts';
import { startTestService, type TestService } from '../../service/src/testing/services.ts';
import { type BadgeClient, createBadgeClient, type NewToken } from './index.ts';
import { createWalletProvider } from './testing/wallet-provider.ts';

let service: TestService;
/** With the key of the community `demo`. */
let badge: BadgeClient;
/** With the operator's key. */
let operator: BadgeClient;
/** Without a key, as in a browser. */
let visitor: BadgeClient;

beforeAll(async () => {
  service = await startTestService();
  badge = createBadgeClient({ url: service.url, apiKey: service.apiKey });
  operator = createBadgeClient({ url: service.url, apiKey: service.adminKey });
  visitor = createBadgeClient({ url: service.url });
});
afterAll(async () => await service.stop());

const FIELDS = { communityId: 'demo', headline: 'Speaker 2026', nftTypeId: 'defaultOrangeRed' };
const OPEN = { ...FIELDS, totalClaimCount: 10 } satisfies NewToken;

async function createToken(token: NewToken = OPEN, creator = newWallet()): Promise<number> {
  const operation = await badge.createToken({ ...token, signer: creator });
  return (await operation.wait()).tokenId;
}

async function readAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('a token is created, claimed and burned with a viem account, an ethers signer and an EIP-1193 provider', async () => {
  const account = newWallet();
  const ethersWallet = new EthersWallet(newWallet().privateKey);
  const holder = newWallet();
  const signers = [
    { signer: account, address: account.address },
    { signer: ethersWallet, address: ethersWallet.address },
    { signer: createWalletProvider([holder]), address: holder.address },
  ];
  for (const { signer, address } of signers) {
    const creation = await badge.createToken({ ...OPEN, signer });
    const { tokenId, status, resourceId } = await creation.wait();
    expect({ status, resourceId }).toEqual({ status: 'success', resourceId: tokenId });
    await expect(visitor.getToken({ tokenId })).resolves.toMatchObject({
      createdByAddress: address,
      headline: OPEN.headline,
    });

    await (await visitor.claim({ tokenId, signer })).wait();
    await expect(visitor.listOwners({ tokenId })).resolves.toMatchObject({ data: [{ address }] });
    await (await visitor.burn({ tokenId, signer })).wait();
    await expect(visitor.listOwners({ tokenId })).resolves.toMatchObject({ data: [] });
  }
});

test('a token has all fields that were given', async () => {
  const fields = {
    ...FIELDS,
    description: ' äöü 🎖 ',
    startDateTimestamp: 1_700_000_000_000,
    endDateTimestamp: 1_800_000_000_000,
    links: ['https://example.org', ''],
    isSignatureRequired: true,
    expirationTimestamp: 4_000_000_000_000,
    customAttributes: [{ fieldName: 'track', type: 'string' as const, value: 'web' }],
  };
  const tokenId = await createToken({ ...fields, contributors: [newAddress()] });
  const { isSignatureRequired, expirationTimestamp, ...topLevelFields } = fields;
  await expect(badge.getToken({ tokenId })).resolves.toMatchObject({
    ...topLevelFields,
    claimabilityAttributes: {
      isSignatureRequired,
      expirationTimestamp,
      isAllowlistRequired: true,
      totalClaimCount: null,
    },
  });
});

test('a browser signs a token, and a backend creates it', async () => {
  const creator = newWallet();
  const signed = await visitor.signToken({ ...OPEN, signer: createWalletProvider([creator]) });
  const received = JSON.parse(JSON.stringify(signed));
  const { tokenId } = await (await badge.createToken(received)).wait();
  await expect(badge.getToken({ tokenId })).resolves.toMatchObject({ createdByAddress: creator.address });
});

test('an operation can be awaited by its id, by another client', async () => {
  const { operationId } = await badge.createToken({ ...OPEN, signer: newWallet() });
  const operation = await visitor.waitForOperation({ operationId });
  expect(operation).toMatchObject({ operationId, operationType: 'createToken', status: 'success' });
  await expect(visitor.getOperation({ operationId, waitSeconds: 30 })).resolves.toMatchObject({
    resourceId: operation.tokenId,
  });
});

test('the same idempotencyKey returns the same operation', async () => {
  const signed = await badge.signToken({ ...OPEN, signer: newWallet() });
  const options = { idempotencyKey: 'order-1' };
  const first = await badge.createToken(signed, options);
  const second = await badge.createToken(signed, options);
  expect(first).toMatchObject({ isReplayed: false, idempotencyKey: 'order-1' });
  expect(second).toMatchObject({ isReplayed: true, operationId: first.operationId });
  const third = await badge.createToken(signed);
  expect(third.operationId).not.toBe(first.operationId);
});

test('one of two concurrent claims of a token with a total of 1 throws NoTokensLeft', async () => {
  const tokenId = await createToken({ ...FIELDS, totalClaimCount: 1 });
  const claims = [newWallet(), newWallet()].map(async (signer) =>
    (await visitor.claim({ tokenId, signer })).wait(),
  );
  const failures = (await Promise.allSettled(claims)).filter(({ status }) => status === 'rejected');
  expect(failures).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ name: 'NoTokensLeft' }) },
  ]);
});

test("with the community's key, a claim of an allowlisted token needs an address or an identifier on the allowlist", async () => {
  const address = newAddress();
  const tokenId = await createToken({ ...FIELDS, contributors: ['ada@example.org'] });
  await expect(badge.getEligibility({ tokenId, address })).resolves.toMatchObject({
    canClaim: false,
    reasons: ['AddressNotAllowlisted'],
  });
  await expect(badge.claim({ tokenId, claimingAddress: address })).rejects.toMatchObject({
    name: 'AddressNotAllowlisted',
    hint: expect.stringContaining('addContributors()'),
  });
  await (await badge.claim({ tokenId, claimingAddress: address, identifier: 'ADA@example.org' })).wait();
  await expect(badge.listContributors({ tokenId })).resolves.toMatchObject({
    data: [{ contributor: 'ada@example.org', hasClaimed: true }],
  });
});

test('somebody who has signed in with an e-mail claims, and sends nothing but a code', async () => {
  const tokenId = await createToken();
  const { items } = await badge.createClaimLinks({ tokenId, count: 1 });
  const apiKey = await createEmailSession(service, 'ada@example.org');
  const person = createBadgeClient({ url: service.url, apiKey });
  const claim = await person.claim({ tokenId, isBySession: true, claimCode: items[0]?.code ?? '' });
  expect(await claim.wait()).toMatchObject({ tokenId, status: 'success' });
  await expect(visitor.claim({ tokenId, isBySession: true })).rejects.toMatchObject({
    name: 'InvalidRequest',
    errors: [{ pointer: '/claimingAddress', detail: 'is required' }],
  });
});

test('the creator adds contributors, and another account is rejected before it signs', async () => {
  const creator = newWallet();
  const added = newAddress();
  const tokenId = await createToken({ ...FIELDS, contributors: ['ada@example.org'] }, creator);
  const addition = { tokenId, contributors: [added, 'eve'] };
  await expect(badge.addContributors({ ...addition, signer: newWallet() })).rejects.toMatchObject({
    name: 'WrongAccount',
    message: expect.stringContaining(creator.address),
  });
  await (await badge.addContributors({ ...addition, signer: creator })).wait();
  const contributors = await readAll(badge.listContributors({ tokenId, limit: 1 }));
  expect(contributors.map(({ contributor }) => contributor)).toEqual(['ada@example.org', added, 'eve']);
});

test('an open token is claimed with the codes of links, with a signature and without', async () => {
  const tokenId = await createToken();
  const { items } = await badge.createClaimLinks({ tokenId, count: 3 });
  const [first, second, third] = items.map(({ code }) => code) as [string, string, string];
  expect(items[0]?.url).toMatch(new RegExp(`/claim/${tokenId}#${first}$`));
  const address = newAddress();
  const signer = newWallet();
  await expect(visitor.checkClaimCode({ tokenId, claimCode: first })).resolves.toMatchObject({
    canClaim: true,
    reasons: [],
  });
  await (await visitor.claim({ tokenId, claimingAddress: address, claimCode: first })).wait();
  await (await visitor.claim({ tokenId, signer, claimCode: second })).wait();
  await expect(
    visitor.claim({ tokenId, claimingAddress: newAddress(), claimCode: first }),
  ).rejects.toMatchObject({ name: 'ClaimCodeUsed' });

  const unused = await readAll(badge.listClaimLinks({ tokenId, status: 'unused' }));
  expect(unused).toMatchObject([{ status: 'unused', claimingAddress: null }]);
  await badge.revokeClaimLink({ tokenId, claimLinkId: unused[0]?.claimLinkId ?? '' });
  await expect(visitor.checkClaimCode({ tokenId, claimCode: third })).resolves.toMatchObject({
    canClaim: false,
    reasons: ['ClaimCodeInvalid'],
  });
  const used = await readAll(badge.listClaimLinks({ tokenId, status: 'used', limit: 1 }));
  expect(used.map(({ claimingAddress }) => claimingAddress).toSorted()).toEqual(
    [address, signer.address].toSorted(),
  );
});

test('gates say who holds a token, also without a key', async () => {
  const tokenId = await createToken();
  const signer = newWallet();
  await (await visitor.claim({ tokenId, signer })).wait();
  const other = newAddress();
  expect(await visitor.holdsToken({ tokenId, address: signer.address })).toBe(true);
  expect(await visitor.holdsToken({ tokenId, address: other })).toBe(false);
  expect(await visitor.checkOwners({ addresses: [other, signer.address], tokenIds: [tokenId] })).toEqual({
    items: [
      { address: other, tokenIds: [] },
      { address: signer.address, tokenIds: [tokenId] },
    ],
  });
  expect(await visitor.getSnapshotScores({ tokenId, addresses: [signer.address] })).toEqual({
    score: [{ address: signer.address, score: 1 }],
  });
  const listed = await readAll(visitor.listWalletTokens({ address: signer.address, tokenId }));
  expect(listed).toMatchObject([{ badgeTokenId: tokenId, claimStatus: 'claimed' }]);
  await (await visitor.burn({ tokenId, signer })).wait();
  expect(await visitor.holdsToken({ tokenId, address: signer.address })).toBe(false);
  await expect(visitor.holdsToken({ tokenId: 999_999_999, address: other })).rejects.toMatchObject({
    name: 'TokenNotFound',
  });
});

test('an allowlisted token is claimed with links for its identifiers, and with links that its creator signs', async () => {
  const creator = newWallet();
  const tokenId = await createToken({ ...FIELDS, contributors: ['ada@example.org'] }, creator);
  const named = await badge.createClaimLinks({ tokenId, identifiers: ['ADA@example.org'] });
  await expect(badge.createClaimLinks({ tokenId, count: 1, signer: newWallet() })).rejects.toMatchObject({
    name: 'WrongAccount',
    message: expect.stringContaining(creator.address),
  });
  const signed = await badge.createClaimLinks({ tokenId, count: 1, signer: creator });
  const items = [...named.items, ...signed.items];
  expect(items).toMatchObject([{ identifier: 'ada@example.org' }, { identifier: null }]);
  for (const { code } of items)
    await (await visitor.claim({ tokenId, claimingAddress: newAddress(), claimCode: code })).wait();
  await expect(visitor.listOwners({ tokenId })).resolves.toMatchObject({ data: { length: 2 } });
});

test('a room claims with one short code, and the link can be paused', async () => {
  const creator = newWallet();
  const tokenId = await createToken({ ...FIELDS, contributors: ['ada'] }, creator);
  const expiresAtTimestamp = Date.now() + 3_600_000;
  const room = { tokenId, maxClaims: 3, expiresAtTimestamp, signer: creator } as const;
  const idempotencyKey = randomUUID();
  const [lost] = (await badge.createClaimLinks(room, { idempotencyKey })).items;
  const [link] = (await badge.createClaimLinks(room, { idempotencyKey })).items;
  const { claimLinkId = '', code: claimCode = '' } = link ?? {};
  expect(claimCode).toMatch(/^\w{4}-\w{4}$/);
  await expect(
    visitor.claim({ tokenId, claimingAddress: newAddress(), claimCode: lost?.code ?? '' }),
  ).rejects.toMatchObject({ name: 'ClaimCodeInvalid' });
  for (let claims = 0; claims < 2; claims += 1) {
    await (await visitor.claim({ tokenId, claimingAddress: newAddress(), claimCode })).wait();
  }
  await expect(badge.updateClaimLink({ tokenId, claimLinkId, isPaused: true })).resolves.toMatchObject({
    status: 'paused',
    maxClaims: 3,
    claimCount: 2,
  });
  await expect(visitor.claim({ tokenId, claimingAddress: newAddress(), claimCode })).rejects.toMatchObject({
    name: 'ClaimCodePaused',
  });
});

test("a community's key airdrops an open token", async () => {
  const tokenId = await createToken();
  const address = newAddress();
  await (await badge.airdrop({ tokenId, address })).wait();
  await expect(badge.listWalletTokens({ address, claimStatus: 'claimed' })).resolves.toMatchObject({
    data: [{ badgeTokenId: tokenId, claimStatus: 'claimed' }],
  });
});

test('an admin airdrops with the consent of the receiver, and without it', async () => {
  const admin = newWallet();
  const community = await operator.createCommunity({
    displayId: 'dao',
    name: 'DAO',
    adminAddresses: [admin.address],
  });
  const token = { ...FIELDS, communityId: community.uniqId, contributors: ['nobody'] };
  const creation = await operator.createToken({ ...token, signer: newWallet() });
  const { tokenId } = await creation.wait();

  const receiver = newWallet();
  const consent = await visitor.signTokenId({
    primaryType: 'CommunityAdminAirdropReceiverConsent',
    tokenId,
    signer: receiver,
  });
  const withConsent = await operator.adminAirdrop({
    tokenId,
    receivingAddress: consent.address,
    receiverSignature: consent.signature,
    signer: admin,
  });
  await withConsent.wait();
  const second = newAddress();
  const withoutConsent = await operator.adminAirdropWithoutConsent({
    tokenId,
    receivingAddress: second,
    signer: admin,
  });
  await withoutConsent.wait();
  const owners = await readAll(visitor.listOwners({ tokenId }));
  expect(owners.map(({ address }) => address)).toEqual([receiver.address, second]);
});

test('tokens are listed by page and by item, and hidden ones are left out', async () => {
  const customAttributes = [{ fieldName: 'listed', type: 'boolean' as const, value: true }];
  const ids: number[] = [];
  for (let count = 0; count < 3; count += 1) ids.push(await createToken({ ...OPEN, customAttributes }));
  const [first = 0, second = 0, third = 0] = ids;
  await badge.updateToken({ tokenId: second, isHidden: true });

  const filter = { communityId: 'demo', customAttributes: { listed: true } };
  const visible = await readAll(badge.listCommunityTokens({ ...filter, limit: 1, order: 'desc' }));
  expect(visible.map(({ tokenId }) => tokenId)).toEqual([third, first]);
  await expect(badge.listCommunityTokens({ ...filter, isHidden: true })).resolves.toMatchObject({
    data: [{ tokenId: second }],
  });

  const all = await readAll(visitor.listTokens({ limit: 2 }));
  const { data } = await visitor.listTokens({ limit: 1_000 });
  expect(all).toEqual(data);
  expect(data.map(({ tokenId }) => tokenId)).toContain(first);
});

test('a design is uploaded from a Blob, used, listed and deleted', async () => {
  const path = fileURLToPath(new URL('../../../docs/console/badges.png', import.meta.url));
  const bytes = await readFile(path);
  const nftType = await badge.createNftType({
    communityId: 'demo',
    name: 'Our design',
    nftTypeId: 'ours',
    assetFile: new Blob([bytes]),
  });
  expect(nftType).toMatchObject({ nftTypeId: 'ours', name: 'Our design', isUserAdded: true });

  const tokenId = await createToken({ ...OPEN, nftTypeId: 'ours' });
  const { imageUrl } = await badge.getToken({ tokenId });
  const image = await fetch(new URL(new URL(imageUrl).pathname, service.url));
  expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);

  const listed = await readAll(badge.listNftTypes({ communityId: 'demo' }));
  expect(listed.map(({ nftTypeId }) => nftTypeId)).toContain('ours');
  await badge.deleteNftType({ communityId: 'demo', nftTypeId: 'ours' });
  await expect(badge.deleteNftType({ communityId: 'demo', nftTypeId: 'ours' })).rejects.toMatchObject({
    name: 'NftTypeNotFound',
  });
});

test('the operator manages communities and API keys, and reads the audit log', async () => {
  await operator.createCommunity({ uniqId: 'my-dao', displayId: 'my-dao', name: 'My DAO' });
  await operator.updateCommunity({ communityId: 'my-dao', description: 'We build.' });
  await expect(visitor.getCommunity({ communityId: 'my-dao' })).resolves.toMatchObject({
    name: 'My DAO',
    description: 'We build.',
  });
  const communities = await readAll(operator.listCommunities());
  expect(communities.map(({ uniqId }) => uniqId)).toContain('my-dao');

  const { apiKey, apiKeyId } = await operator.createApiKey({ communityId: 'my-dao', name: 'backend' });
  const backend = createBadgeClient({ url: service.url, apiKey });
  await expect(backend.getCommunityConfiguration({ communityId: 'my-dao' })).resolves.toMatchObject({
    communityId: 'my-dao',
    eip712: SANDBOX satisfies Eip712,
  });
  await expect(operator.listApiKeys({ communityId: 'my-dao' })).resolves.toMatchObject({
    data: [{ apiKeyId, name: 'backend' }],
  });
  await operator.revokeApiKey({ communityId: 'my-dao', apiKeyId });
  await expect(backend.getCommunityConfiguration({ communityId: 'my-dao' })).rejects.toMatchObject({
    name: 'InvalidApiKey',
    status: 401,
  });

  const entries = await readAll(operator.listAuditLog({ communityId: 'my-dao', limit: 2 }));
  expect(entries.map(({ action }) => action)).toEqual([
    'revokeApiKey',
    'createApiKey',
    'updateCommunity',
    'createCommunity',
  ]);
});

test('an editor without a wallet creates a token and adds contributors with the managed creator', async () => {
  await operator.createCommunity({ uniqId: 'managed', displayId: 'managed', name: 'Managed' });
  await expect(operator.getManagedCreator({ communityId: 'managed' })).rejects.toMatchObject({
    name: 'ManagedCreatorNotFound',
    hint: expect.stringContaining('hasManagedCreator'),
  });
  await operator.updateCommunity({ communityId: 'managed', hasManagedCreator: true });
  const { apiKey } = await operator.createApiKey({ communityId: 'managed', name: 'editor' });
  const editor = createBadgeClient({ url: service.url, apiKey });
  const fields = {
    headline: 'Managed',
    description: '',
    startDateTimestamp: 0,
    endDateTimestamp: 0,
    links: [],
    isSignatureRequired: false,
    isAllowlistRequired: true as const,
    expirationTimestamp: 0,
  };
  const { address, signature } = await editor.signWithManagedCreator({
    communityId: 'managed',
    primaryType: 'Badge',
    message: { ...fields, communityUniqId: 'managed', totalClaimCount: 0 },
  });
  await expect(editor.getManagedCreator({ communityId: 'managed' })).resolves.toEqual({ address });
  const { tokenId } = await (
    await editor.createToken({
      ...fields,
      communityId: 'managed',
      nftTypeId: 'defaultOrangeRed',
      contributors: ['ada@example.org'],
      creator: address,
      signature,
    })
  ).wait();
  const signed = await editor.signWithManagedCreator({
    communityId: 'managed',
    primaryType: 'AllowlistedAddress',
    message: { tokenId },
  });
  const added = { tokenId, contributors: ['eve@example.org'], signature: signed.signature };
  await (await editor.addContributors(added)).wait();
  await expect(editor.getToken({ tokenId })).resolves.toMatchObject({
    createdByAddress: address,
    contributorCount: 2,
  });
});

test('environment and metadata are read', async () => {
  await expect(visitor.getEnvironment()).resolves.toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    environment: 'sandbox',
    eip712: SANDBOX,
    contractWalletChainIds: [],
    hasEns: false,
    mail: 'kept',
    hasKeptBadges: true,
  });
  const tokenId = await createToken();
  await expect(visitor.getTokenMetadata({ tokenId })).resolves.toMatchObject({ name: OPEN.headline });
});

test('an invalid token is refused with every error and without a hint', async () => {
  const token = { ...OPEN, headline: '', totalClaimCount: 0, signer: newWallet() };
  await expect(badge.createToken(token)).rejects.toMatchObject({
    name: 'InvalidRequest',
    status: 400,
    errors: [
      expect.objectContaining({ pointer: '/headline' }),
      expect.objectContaining({ pointer: '/totalClaimCount' }),
    ],
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    hint: null,
  });
});

test('a call that needs a key says where to pass it if there is none', async () => {
  await expect(visitor.createToken({ ...OPEN, signer: newWallet() })).rejects.toMatchObject({
    name: 'ApiKeyRequired',
    hint: 'Pass `apiKey` to createBadgeClient().',
  });
});

test('a token is revoked, reinstated and moved, and a contributor is removed', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const created = await badge.createToken({ ...OPEN, signer: newWallet() });
  const { tokenId } = await created.wait();
  const reason = 'a reason';
  await (await badge.airdrop({ tokenId, address: first })).wait();
  await (await badge.revoke({ tokenId, address: first, reason })).wait();
  expect(await badge.getOwner({ tokenId, address: first })).toMatchObject({ status: 'revoked' });
  await (await badge.reinstate({ tokenId, address: first, reason })).wait();
  await (await badge.move({ tokenId, address: first, toAddress: second, reason })).wait();
  expect(await badge.getOwner({ tokenId, address: first })).toMatchObject({ status: 'moved' });
  const owners = await readAll(badge.listOwners({ tokenId }));
  expect(owners).toMatchObject([{ address: second }]);
  await expect(badge.getOwner({ tokenId, address: newAddress() })).rejects.toMatchObject({
    name: 'OwnerNotFound',
  });

  const { totalClaimCount: _, ...fields } = OPEN;
  const listed = await badge.createToken({ ...fields, contributors: [first, second], signer: newWallet() });
  const { tokenId: listedId } = await listed.wait();
  await (await badge.removeContributors({ tokenId: listedId, contributors: [first] })).wait();
  expect(await readAll(badge.listContributors({ tokenId: listedId }))).toMatchObject([{ address: second }]);
});

test('a token that ends is renewed', async () => {
  const address = newAddress();
  const created = await badge.createToken({ ...OPEN, validityDays: 365, signer: newWallet() });
  const { tokenId } = await created.wait();
  await (await badge.airdrop({ tokenId, address })).wait();
  const { claimedAtTimestamp, validUntilTimestamp } = await badge.getOwner({ tokenId, address });
  expect(validUntilTimestamp).toBe(claimedAtTimestamp + 365 * 86_400_000);
  const later = claimedAtTimestamp + 800 * 86_400_000;
  await (await badge.renew({ tokenId, addresses: [address], validUntilTimestamp: later })).wait();
  expect(await badge.getOwner({ tokenId, address })).toMatchObject({ validUntilTimestamp: later });
});

test('a token is replaced, and the error of a later change names the other token', async () => {
  const signer = newWallet();
  const address = newAddress();
  const { tokenId } = await (await badge.createToken({ ...OPEN, signer })).wait();
  await (await badge.airdrop({ tokenId, address })).wait();
  const corrected = await badge.createToken({ ...OPEN, headline: 'Without a typo', signer });
  const { tokenId: replacementTokenId } = await corrected.wait();
  await (await badge.replaceToken({ tokenId, replacementTokenId })).wait();
  expect(await readAll(badge.listOwners({ tokenId: replacementTokenId }))).toMatchObject([{ address }]);
  expect(await readAll(badge.listOwners({ tokenId, status: 'replaced' }))).toMatchObject([{ address }]);
  expect(await badge.getToken({ tokenId })).toMatchObject({ replacedByTokenId: replacementTokenId });
  await expect(badge.airdrop({ tokenId, address: newAddress() })).rejects.toMatchObject({
    name: 'TokenReplaced',
    replacedByTokenId: replacementTokenId,
  });
});

test('all keys of a community are read, however many there are', async () => {
  const communityId = 'often-rotated';
  await operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Often rotated' });
  await query(
    service.databaseUrl,
    `insert into issuer_keys (community_id, generation, public_key)
     select $1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') from generate_series(1, 2500) n`,
    [communityId],
  );
  const keys = await badge.getIssuerKeys({ communityId });
  expect(new Set(keys.map(({ did }) => did)).size).toBe(2_500);
});

test('an owner gets a credential that a key of the community has signed', async () => {
  const address = newAddress();
  const created = await badge.createToken({ ...OPEN, criteria: 'Gave a talk.', signer: newWallet() });
  const { tokenId } = await created.wait();
  await (await badge.airdrop({ tokenId, address })).wait();
  const [key] = await badge.getIssuerKeys({ communityId: 'demo' });
  const credential = await badge.getCredential({ tokenId, address });
  expect(credential.issuer.id).toBe(key?.did);
  expect(JSON.stringify(credential)).toContain('Gave a talk.');
  const png = await badge.getCredentialPicture({ tokenId, address });
  expect(await png.text()).toContain(credential.proof.proofValue);
  await badge.updateToken({ tokenId, criteria: null });
  expect(JSON.stringify(await badge.getCredential({ tokenId, address }))).not.toContain('Gave a talk.');
  const next = await operator.rotateIssuerKey({ communityId: 'demo' });
  expect(await badge.getIssuerKeys({ communityId: 'demo' })).toEqual([next, { ...key, isCurrent: false }]);
});

test('an owner who has signed in gets a credential with a name', async () => {
  const signer = newWallet();
  const { tokenId } = await (await badge.createToken({ ...OPEN, signer: newWallet() })).wait();
  await (await badge.claim({ tokenId, signer })).wait();
  const { message } = await badge.createSignInChallenge({ address: signer.address });
  const signature = await signer.signMessage({ message });
  const { sessionToken } = await badge.signIn({ message, signature });
  const own = createBadgeClient({ url: service.url, apiKey: sessionToken });
  const owner = { tokenId, address: signer.address };
  const named = { ...owner, with: 'identity', name: 'Ada & Co' } as const;
  const { credentialSubject } = await own.getCredential(named);
  expect(credentialSubject.identifier).toMatchObject([{ identityType: 'name', identityHash: 'Ada & Co' }]);
  expect(await (await own.getCredentialPicture(named)).text()).toContain('Ada & Co');
  expect((await own.getCredential(owner)).credentialSubject.identifier).toBeUndefined();
  await expect(badge.getCredential(named)).rejects.toMatchObject({ name: 'RoleNotAllowed' });
});

test('the client has a method for every call of the API below /v1', async () => {
  const requests: string[] = [];
  const client = createBadgeClient({
    url: 'http://badge.test',
    async fetch(url, { method } = {}) {
      requests.push(`${method} ${new URL(String(url)).pathname}`);
      return Response.json({ data: [] }, { status: 202, headers: { Location: '/v1/operations/id' } });
    },
  });
  const [tokenId, address, signature, communityId] = [1, newAddress(), '0x', 'demo'];
  await client.createToken({ ...OPEN, creator: address, signature });
  await client.listTokens();
  await client.getToken({ tokenId });
  await client.updateToken({ tokenId, isHidden: true });
  await client.replaceToken({ tokenId, replacementTokenId: 2 });
  await client.renew({ tokenId, addresses: [address], validUntilTimestamp: Date.now() });
  await client.getOperation({ operationId: 'id' });
  await client.claim({ tokenId, claimingAddress: address });
  await client.getEligibility({ tokenId, address });
  await client.checkClaimCode({ tokenId, claimCode: 'A' });
  await client.checkOwners({ addresses: [address], tokenIds: [tokenId] });
  await client.getSnapshotScores({ tokenId, addresses: [address] });
  await client.getEnsNames({ addresses: [address] });
  await client.listOwners({ tokenId });
  await client.getOwner({ tokenId, address });
  await client.getCredential({ tokenId, address });
  await client.revoke({ tokenId, address, reason: 'a' });
  await client.reinstate({ tokenId, address, reason: 'a' });
  await client.move({ tokenId, address, toAddress: address, reason: 'a' });
  await client.burn({ tokenId, burningAddress: address, signature });
  await client.airdrop({ tokenId, address });
  const airdrop = { tokenId, receivingAddress: address, adminAddress: address, adminSignature: signature };
  await client.adminAirdrop({ ...airdrop, receiverSignature: signature });
  await client.adminAirdropWithoutConsent(airdrop);
  await client.addContributors({ tokenId, contributors: [], signature });
  await client.removeContributors({ tokenId, contributors: [] });
  await client.listContributors({ tokenId });
  await client.createClaimLinks({ tokenId, count: 1 });
  await client.listClaimLinks({ tokenId });
  await client.updateClaimLink({ tokenId, claimLinkId: 'id', isPaused: true });
  await client.revokeClaimLink({ tokenId, claimLinkId: 'id' });
  await client.listRecipients({ tokenId });
  await client.setRecipients({ tokenId, items: [] });
  await client.updateRecipient({ tokenId, recipientId: 'id', note: null });
  await client.listRecipientHistory({ tokenId, recipientId: 'id' });
  await client.createInvitations({ tokenId, recipients: [] });
  await client.listInvitations({ tokenId });
  await client.previewInvitation({ tokenId });
  await client.getInvitationMail({ tokenId, invitationId: 'id' });
  await client.resendInvitation({ tokenId, invitationId: 'id' });
  await client.updateInvitation({ tokenId, invitationId: 'id', sendAtTimestamp: null });
  await client.revokeInvitation({ tokenId, invitationId: 'id' });
  await client.cancelMails({ communityId, tokenId });
  await client.createReminders({ tokenId, kind: 'claim' });
  await client.createReservation({ tokenId, email: 'a', claimCode: 'A' });
  await client.confirmReservation({ tokenId, confirmationCode: 'A' });
  await client.createResubscription({ communityId, email: 'a' });
  await client.confirmResubscription({ communityId, confirmationCode: 'A' });
  await client.listWalletTokens({ address });
  await client.createCommunity({ displayId: 'a', name: 'A' });
  await client.listCommunities();
  await client.getCommunity({ communityId });
  await client.updateCommunity({ communityId });
  await client.listCommunityTokens({ communityId });
  await client.getCommunityConfiguration({ communityId });
  await client.getIssuerKeys({ communityId });
  await client.rotateIssuerKey({ communityId });
  await client.getManagedCreator({ communityId });
  const message = { tokenId };
  await client.signWithManagedCreator({ communityId, primaryType: 'AllowlistedAddress', message });
  await client.listMembers({ communityId });
  await client.setMember({ communityId, address, role: 'viewer' });
  await client.removeMember({ communityId, address, keepApiKeys: true });
  await client.createSignInChallenge({ address });
  await client.createEmailChallenge({ email: 'a' });
  await client.signIn({ message: 'm', signature });
  await client.getSession();
  await client.getCaller();
  await client.listSessions();
  await client.listOwnTokens();
  await client.moveBadges({ toAddress: address, signature });
  await client.removeDefaultAddress();
  await client.hideOwnToken({ tokenId });
  await client.showOwnToken({ tokenId });
  await client.listRefusedCommunities();
  await client.refuseCommunity({ communityId });
  await client.acceptCommunity({ communityId });
  await client.signOut();
  await client.signOutEverywhere();
  await client.createApiKey({ communityId, name: 'a' });
  await client.listApiKeys({ communityId });
  await client.revokeApiKey({ communityId, apiKeyId: 'id' });
  await client.createNftType({ communityId, name: 'a', assetFile: new Blob([]) });
  await client.listNftTypes({ communityId });
  await client.getNftTypePreview({ communityId, nftTypeId: 'a', headline: 'A' });
  await client.deleteNftType({ communityId, nftTypeId: 'id' });
  await client.exportCommunity({ communityId, people: 'none' });
  await client.getExport({ communityId, exportId: 1 });
  await client.importBadges({ communityId, file: new Blob([]), format: 'csv', isDryRun: true });
  await client.getImport({ communityId, importId: 1 });
  const webhook = { communityId, webhookId: 'id' };
  await client.createWebhook({ communityId, name: 'a', url: 'https://example.org/' });
  await client.listWebhooks({ communityId });
  await client.updateWebhook({ ...webhook, isEnabled: true });
  await client.deleteWebhook(webhook);
  await client.rotateWebhookSecret(webhook);
  await client.testWebhook(webhook);
  await client.listWebhookDeliveries(webhook);
  await client.redeliverWebhook({ ...webhook, deliveryId: 'id' });
  await client.readEvents({ communityId });
  await client.listAuditLog();
  await client.getEnvironment();

  const openApi = (await (await service.call('/openapi.json')).json()) as { paths: Record<string, object> };
  const calls = Object.entries(openApi.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  const missing = calls.filter((call) => {
    const pattern = new RegExp(`^${call.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return !requests.some((request) => pattern.test(request));
  });
  expect(missing).toEqual([]);
  expect(calls).toHaveLength(requests.length);
});
