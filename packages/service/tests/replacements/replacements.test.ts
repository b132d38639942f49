import { randomUUID } from 'node:crypto';
import type {
  AuditEntry,
  ClaimCodeCheck,
  Contributor,
  Eligibility,
  Invitation,
  OEmbed,
  Problem,
  Recipient,
  RecipientHistoryEntry,
} from '@badge/protocol';
import { waitForPlacedEvents } from '@badge/test-support/fixtures';
import {
  newAddress,
  newWallet,
  signedBurn,
  signedContributors,
  signedToken,
  signTokenId,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { describe, expect, test } from 'vitest';
import { settleReplacements } from '../../src/domain/tokens/settle-replacements.ts';
import { creator, json, replacementsFixture } from '../../src/testing/replacements-fixture.ts';
import { startTestService } from '../../src/testing/services.ts';

const fixture = replacementsFixture();
const { post, get, finish, succeed, createToken, createListed, createLinks, createRoom, replace } = fixture;
const { claimWithCode, ownersOf, addressesOf, tokenOf, linksOf, nameOf, codesInMails, recipientsOf } =
  fixture;

const reason = 'a reason';
const newEmail = () => `${randomUUID()}@example.org`;
const claim = async (tokenId: number, claimingAddress: string) =>
  succeed(post(`${tokenId}/claim`, { claimingAddress }));
const checkCode = (tokenId: number, claimCode: string) =>
  json<ClaimCodeCheck>(post(`${tokenId}/checkClaimCode`, { claimCode }));

const patch = (tokenId: number, change: object) =>
  fixture.service.call(`/v1/tokens/${tokenId}`, {
    method: 'PATCH',
    body: JSON.stringify(change),
    headers: { 'Content-Type': 'application/json' },
    key: fixture.service.apiKey,
  });

const put = (tokenId: number, items: object[]) =>
  fixture.service.call(`/v1/tokens/${tokenId}/recipients`, {
    method: 'PUT',
    body: JSON.stringify({ items }),
    headers: { 'Content-Type': 'application/json' },
    key: fixture.service.apiKey,
  });

describe('everybody moves', () => {
  test('each owner has the replacement since the first claim, and what was lost stays lost', async () => {
    const [held, revoked, moved, receiver] = [newAddress(), newAddress(), newAddress(), newAddress()];
    const burner = newWallet();
    const tokenId = await createToken({ totalClaimCount: 10 });
    for (const address of [held, revoked, moved, burner.address]) await claim(tokenId, address);
    await succeed(post(`${tokenId}/owners/${revoked}/revoke`, { reason }));
    await succeed(post(`${tokenId}/owners/${moved}/move`, { toAddress: receiver, reason }));
    await succeed(post(`${tokenId}/burn`, await signedBurn(tokenId, burner)));
    const before = await ownersOf(tokenId, 'all');
    const replacementTokenId = await createToken({ totalClaimCount: 5 });

    expect(await succeed(replace(tokenId, replacementTokenId))).toBe(tokenId);

    expect(await ownersOf(replacementTokenId, 'all')).toEqual(before);
    expect((await addressesOf(replacementTokenId)).sort()).toEqual([held, receiver].sort());
    expect(await ownersOf(tokenId)).toEqual([]);
    expect((await addressesOf(tokenId, 'replaced')).sort()).toEqual([held, receiver].sort());
    expect(await addressesOf(tokenId, 'burnt')).toEqual([burner.address]);
    // Four of the five claims are made. A revoked badge can still be given back, a burnt one not.
    expect((await tokenOf(replacementTokenId)).claimabilityAttributes.remainingClaimCount).toBe(1);
    expect((await tokenOf(replacementTokenId)).claimedCount).toBe(4);
    expect(await nameOf(post(`${replacementTokenId}/claim`, { claimingAddress: burner.address }))).toBe(
      'ClaimingAddressAlreadyHasToken',
    );
    await succeed(post(`${replacementTokenId}/owners/${revoked}/reinstate`, { reason }));
    await succeed(post(`${replacementTokenId}/owners/${receiver}/move`, { toAddress: moved, reason }));
    expect((await addressesOf(replacementTokenId)).sort()).toEqual([held, moved, revoked].sort());
    expect((await addressesOf(tokenId, 'replaced')).sort()).toEqual([held, receiver].sort());
  });

  test('a list with its order, its links and its invitations is that of the replacement', async () => {
    const listed = newAddress();
    const tokenId = await createListed('ada', 'grace', listed);
    const [ada] = await createLinks(tokenId, { identifiers: ['ada'] });
    const recipients = [{ email: newEmail() }, { email: 'l@example.org', address: listed }];
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const invited = await post(`${tokenId}/invitations`, { recipients, signature });
    expect(invited.status, await invited.clone().text()).toBe(201);
    const claimer = newAddress();
    await succeed(claimWithCode(tokenId, claimer, ada?.code ?? ''));
    const read = async (id: number) => ({
      contributors: (await get<{ data: Contributor[] }>(`${id}/contributors`)).data,
      links: await linksOf(id),
      // Mails are tried meanwhile.
      invitations: (await get<{ data: Invitation[] }>(`${id}/invitations`)).data.map(
        ({ invitationId, email, address, claimLinkId }) => ({ invitationId, email, address, claimLinkId }),
      ),
    });
    const before = await read(tokenId);
    expect(before.links.map(({ status }) => status)).toEqual(['used', 'unused']);
    const replacementTokenId = await createListed();
    const own = (await read(replacementTokenId)).contributors;

    await succeed(replace(tokenId, replacementTokenId));

    // The creator is on both lists, and once on the new one.
    expect(own).toEqual(before.contributors.slice(0, 1));
    expect(await read(replacementTokenId)).toEqual(before);
    expect(await read(tokenId)).toEqual({ contributors: [], links: [], invitations: [] });
    expect(await tokenOf(replacementTokenId)).toMatchObject({ claimedCount: 1, contributorCount: 5 });
    expect(await tokenOf(tokenId)).toMatchObject({ claimedCount: 1, contributorCount: 0 });
    // The next entries have positions after all others.
    await succeed(
      post(
        `${replacementTokenId}/addContributors`,
        await signedContributors(replacementTokenId, creator, ['zoe']),
      ),
    );
    const { contributors } = await read(replacementTokenId);
    expect(contributors.map(({ contributor }) => contributor).slice(-1)).toEqual(['zoe']);
  });
});

test('everybody stays the same recipient, with name, status and history', async () => {
  const [held, revoked, moved, receiver] = [newAddress(), newAddress(), newAddress(), newAddress()];
  const burner = newWallet();
  const tokenId = await createListed('ada', held, revoked, moved, burner.address);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const links = await createLinks(tokenId, {
    count: 2,
    people: [{ name: 'Lin' }, { name: 'Lou' }],
    signature,
  });
  await createLinks(tokenId, { identifiers: ['ada'] });
  const invited = await post(`${tokenId}/invitations`, {
    recipients: [{ email: newEmail(), name: 'Eve' }],
    signature,
  });
  expect(invited.status, await invited.clone().text()).toBe(201);
  const named = await put(tokenId, [
    { contributor: moved, name: 'Mo', note: 'Lost the wallet.' },
    { contributor: creator.address, email: 'creator@example.org' },
  ]);
  expect(named.status, await named.clone().text()).toBe(200);
  for (const address of [held, revoked, moved, burner.address]) await claim(tokenId, address);
  await succeed(claimWithCode(tokenId, newAddress(), links[0]?.code ?? ''));
  await succeed(post(`${tokenId}/owners/${revoked}/revoke`, { reason }));
  await succeed(post(`${tokenId}/owners/${moved}/move`, { toAddress: receiver, reason }));
  await succeed(post(`${tokenId}/burn`, await signedBurn(tokenId, burner)));
  // Mails are tried meanwhile.
  const stable = ({ statusChangedAtTimestamp, sentAtTimestamp, ...recipient }: Recipient) => ({
    ...recipient,
    status: recipient.status === 'failed' ? 'queued' : recipient.status,
  });
  const read = async (id: number) => (await recipientsOf(id)).map(stable);
  const historyOf = async (id: number, { recipientId }: { recipientId: string }) =>
    (await get<{ data: RecipientHistoryEntry[] }>(`${id}/recipients/${recipientId}/history`)).data;
  const before = await read(tokenId);
  const { recipientCount } = await tokenOf(tokenId);
  const replacementTokenId = await createListed();
  // The creator is a recipient of both.
  expect((await put(replacementTokenId, [{ contributor: creator.address, name: 'Cleo' }])).status).toBe(200);
  const mo = before.find(({ name }) => name === 'Mo');
  if (mo === undefined) throw new Error('no recipient');
  const history = await historyOf(tokenId, mo);
  expect(history.map(({ type }) => type)).toEqual(['added', 'claimed', 'moved']);

  await succeed(replace(tokenId, replacementTokenId));

  const after = await read(replacementTokenId);
  const isCreator = ({ address }: { address: string | null }) => address === creator.address;
  expect(after.filter((one) => !isCreator(one))).toEqual(before.filter((one) => !isCreator(one)));
  expect(after.filter(isCreator)).toEqual(before.filter(isCreator).map((one) => ({ ...one, name: 'Cleo' })));
  expect(new Set(before.map(({ status }) => status))).toEqual(
    new Set(['listed', 'linked', 'queued', 'claimed', 'burnt', 'revoked', 'moved']),
  );
  expect(await read(tokenId)).toEqual([]);
  expect(await tokenOf(replacementTokenId)).toMatchObject({ recipientCount });
  expect(await tokenOf(tokenId)).toMatchObject({ recipientCount: 0 });
  const { databaseUrl } = fixture.service;
  expect(await countWrongTokenCounts(databaseUrl)).toBe(0);
  const later = await historyOf(replacementTokenId, mo);
  expect(later.slice(0, -1)).toEqual(history);
  expect(later.at(-1)).toMatchObject({ type: 'replaced', detail: String(tokenId) });
  expect(later.at(-1)?.actor).toBe(history.at(-1)?.actor);
  const refused = await put(tokenId, [{ contributor: moved, name: 'Moe' }]);
  expect(await json<Problem>(refused)).toMatchObject({
    name: 'TokenReplaced',
    replacedByTokenId: replacementTokenId,
  });
  // Whoever comes later was not there when the token was replaced.
  const address = newAddress();
  await succeed(claimWithCode(tokenId, address, links[1]?.code ?? ''));
  const [lou] = (await recipientsOf(replacementTokenId)).filter(({ name }) => name === 'Lou');
  expect(lou).toMatchObject({ address, status: 'claimed' });
  await succeed(
    post(
      `${replacementTokenId}/addContributors`,
      await signedContributors(replacementTokenId, creator, ['zoe']),
    ),
  );
  const [zoe] = (await recipientsOf(replacementTokenId)).filter(({ identifier }) => identifier === 'zoe');
  expect((await historyOf(replacementTokenId, zoe ?? { recipientId: '' })).map(({ type }) => type)).toEqual([
    'added',
  ]);
});

describe('a code works at the token that it was made for and at the replacement', () => {
  test('of a link, a room and a mail, with the counts of the room', async () => {
    const tokenId = await createListed();
    const room = await createRoom(tokenId, 4);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const [first, second] = await createLinks(tokenId, { count: 2, signature });
    const email = newEmail();
    await post(`${tokenId}/invitations`, { recipients: [{ email }], signature });
    const mailed = (await codesInMails()).find((mail) => mail.email === email)?.code ?? '';
    await succeed(claimWithCode(tokenId, newAddress(), room.code));
    const replacementTokenId = await createListed();

    await succeed(replace(tokenId, replacementTokenId));

    for (const code of [room.code, first?.code, second?.code, mailed]) {
      expect(await checkCode(tokenId, code ?? '')).toMatchObject({ canClaim: true });
      expect(await checkCode(replacementTokenId, code ?? '')).toMatchObject({ canClaim: true });
    }
    const claims = [
      [tokenId, room.code],
      [replacementTokenId, room.code],
      [tokenId, first?.code],
      [replacementTokenId, second?.code],
      [tokenId, mailed],
    ] as const;
    for (const [id, code] of claims) {
      // The operation is about the replacement, wherever the code was sent.
      expect(await succeed(claimWithCode(id, newAddress(), code ?? ''))).toBe(replacementTokenId);
    }
    expect(await addressesOf(replacementTokenId)).toHaveLength(6);
    expect(await linksOf(replacementTokenId)).toMatchObject([{ claimCount: 3 }, {}, {}, {}]);
    await succeed(claimWithCode(tokenId, newAddress(), room.code));
    expect(await nameOf(claimWithCode(tokenId, newAddress(), room.code))).toBe('ClaimCodeUsed');
    expect(await nameOf(claimWithCode(tokenId, newAddress(), first?.code ?? ''))).toBe('ClaimCodeUsed');
  });

  test('a code that was made for the replacement, and a wrong one, are not codes of the old token', async () => {
    const tokenId = await createToken();
    const replacementTokenId = await createToken();
    await succeed(replace(tokenId, replacementTokenId));
    const [link] = await createLinks(replacementTokenId, { count: 1 });
    for (const code of [link?.code ?? '', 'unknown']) {
      expect(await checkCode(tokenId, code)).toMatchObject({
        canClaim: false,
        reasons: ['ClaimCodeInvalid'],
      });
      expect(await nameOf(claimWithCode(tokenId, newAddress(), code))).toBe('TokenReplaced');
    }
  });

  test('the claims that a client made with the code of a room count for both', async () => {
    const tokenId = await createListed();
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const [room] = await createLinks(tokenId, {
      maxClaims: 10,
      maxClaimsPerClient: 2,
      signature,
      expiresAtTimestamp: Date.now() + 3_600_000,
    });
    const claimAtDoor = (id: number) =>
      fixture.service.call(`/v1/tokens/${id}/claim`, {
        json: { claimingAddress: newAddress(), claimCode: room?.code },
        headers: { 'X-Forwarded-For': '10.250.0.1' },
      });
    await succeed(claimAtDoor(tokenId));
    const replacementTokenId = await createListed();
    await succeed(replace(tokenId, replacementTokenId));
    await succeed(claimAtDoor(replacementTokenId));
    expect(await nameOf(claimAtDoor(tokenId))).toBe('SignatureRequired');
    expect(await nameOf(claimAtDoor(replacementTokenId))).toBe('SignatureRequired');
  });

  test('a signature for the old token is enough for a code of the old token', async () => {
    const fields = { isSignatureRequired: true };
    const tokenId = await createToken(fields);
    const [link] = await createLinks(tokenId, { count: 1 });
    const replacementTokenId = await createToken(fields);
    await succeed(replace(tokenId, replacementTokenId));
    const claimer = newWallet();
    const signature = await signTokenId(claimer, 'Claim', tokenId);
    const body = { claimingAddress: claimer.address, claimCode: link?.code, signature };
    expect(await succeed(fixture.service.call(`/v1/tokens/${tokenId}/claim`, { json: body }))).toBe(
      replacementTokenId,
    );
  });

  test('a place that was requested before is confirmed at both tokens, and counts in the room', async () => {
    const tokenId = await createListed();
    const room = await createRoom(tokenId, 3);
    const emails = [newEmail(), newEmail()];
    for (const email of emails) {
      const response = await fixture.service.call(`/v1/tokens/${tokenId}/reservations`, {
        json: { email, claimCode: room.code },
      });
      expect(response.status, await response.clone().text()).toBe(202);
    }
    const codeFor = async (email: string) =>
      (await codesInMails()).find((mail) => mail.email === email) ?? { code: '', tokenId: 0 };
    const replacementTokenId = await createListed();
    await succeed(replace(tokenId, replacementTokenId));
    for (const [index, email] of emails.entries()) {
      const { code: confirmationCode } = await codeFor(email);
      const path = `/v1/tokens/${index === 0 ? tokenId : replacementTokenId}/reservations/confirm`;
      const confirm = () => fixture.service.call(path, { json: { confirmationCode } });
      expect((await confirm()).status).toBe(200);
      // A repetition changes nothing.
      expect((await confirm()).status).toBe(200);
      const { code, tokenId: id } = await codeFor(email);
      expect(id).toBe(replacementTokenId);
      await succeed(claimWithCode(replacementTokenId, newAddress(), code));
    }
    expect((await linksOf(replacementTokenId))[0]).toMatchObject({ claimCount: 2 });
    expect(await addressesOf(replacementTokenId)).toHaveLength(2);
    // Somebody asks for a place at the old token, whose code they have.
    const late = await fixture.service.call(`/v1/tokens/${tokenId}/reservations`, {
      json: { email: newEmail(), claimCode: room.code },
    });
    expect(late.status).toBe(202);
  });
});

describe('a replaced token', () => {
  test('says by which it was replaced, is hidden, and can be shown again', async () => {
    const owner = newAddress();
    const tokenId = await createToken();
    await claim(tokenId, owner);
    const replacementTokenId = await createToken({ headline: 'corrected' });
    // Both processes have kept the responses.
    const read = async () => {
      const token = await tokenOf(tokenId, fixture.otherService);
      const owners = await fixture.otherService.call(`/v1/tokens/${tokenId}/owners`);
      const listed = await json<{ data: { tokenId: number }[] }>(
        fixture.otherService.call('/v1/communities/demo/tokens?limit=1000&order=desc'),
      );
      const scores = await fixture.otherService.call(`/v1/tokens/${tokenId}/snapshotScores`, {
        json: { addresses: [owner] },
      });
      const wallet = await json<{ data: { badgeTokenId: number }[] }>(
        fixture.otherService.call(`/v1/wallets/${owner}/tokens`),
      );
      return {
        replacedBy: token.replacedByTokenId,
        isHidden: token.isHidden,
        owners: (await json<{ data: unknown[] }>(owners)).data.length,
        isListed: listed.data.some((item) => item.tokenId === tokenId),
        score: (await json<{ score: { score: number }[] }>(scores)).score[0]?.score,
        wallet: wallet.data.map(({ badgeTokenId }) => badgeTokenId),
      };
    };
    expect(await read()).toEqual({
      replacedBy: null,
      isHidden: false,
      owners: 1,
      isListed: true,
      score: 1,
      wallet: [tokenId],
    });
    await succeed(replace(tokenId, replacementTokenId));
    const after = { replacedBy: replacementTokenId, owners: 0, score: 0, wallet: [replacementTokenId] };
    expect(await read()).toEqual({ ...after, isHidden: true, isListed: false });
    expect((await tokenOf(replacementTokenId)).replacedByTokenId).toBeNull();
    expect(await get<Eligibility>(`${tokenId}/eligibility?address=${owner}`)).toMatchObject({
      canClaim: false,
      reasons: ['TokenReplaced'],
      ownership: 'replaced',
    });
    const metadata = await json<{ properties: object }>(fixture.service.call(`/metadata/${tokenId}`));
    expect(metadata.properties).toMatchObject({ replacedByTokenId: replacementTokenId });
    const embed = await (await fixture.service.call(`/embed/token/${tokenId}`)).text();
    expect(embed).toContain(`/token/${replacementTokenId}"`);
    expect(embed).toContain('It replaces an earlier badge');
    const ofOwner = await fixture.service.call(`/embed/token/${tokenId}?owner=${owner}`);
    expect(await ofOwner.text()).toContain('has this badge');
    const { title } = await json<OEmbed>(
      fixture.service.call(
        `/oembed?url=${encodeURIComponent(`${fixture.service.context.settings.publicUrl}/token/${tokenId}`)}`,
      ),
    );
    expect(title).toBe('corrected');
    const shield = await (await fixture.service.call(`/images/token/${tokenId}.svg`)).text();
    expect(shield).toContain('corrected: 1 claimed');
    const shown = await patch(tokenId, { isHidden: false });
    expect(shown.status).toBe(200);
    expect(await read()).toEqual({ ...after, isHidden: false, isListed: true });
  });

  test('refuses every change but isHidden, and names the other token', async () => {
    const owner = newWallet();
    const tokenId = await createListed('ada', owner.address);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    await claim(tokenId, owner.address);
    const [link] = await createLinks(tokenId, { identifiers: ['ada'] });
    const recipients = [{ email: newEmail() }];
    const invited = await post(`${tokenId}/invitations`, { recipients, signature });
    const [invitation] = (await json<{ items: Invitation[] }>(invited)).items;
    const [replacementTokenId, third] = [await createListed(), await createListed()];
    await succeed(replace(tokenId, replacementTokenId));
    const airdrop = {
      receivingAddress: newAddress(),
      adminAddress: creator.address,
      adminSignature: await signTokenId(creator, 'CommunityAdminAirdrop', tokenId),
    };
    const at = `/v1/tokens/${tokenId}`;
    const send = (path: string, method: string) =>
      fixture.service.call(`${at}/${path}`, { method, key: fixture.service.apiKey });
    const responses = await Promise.all([
      post(`${tokenId}/claim`, { claimingAddress: newAddress() }),
      post(`${tokenId}/burn`, await signedBurn(tokenId, owner)),
      post(`${tokenId}/airdrop`, { address: newAddress() }),
      post(`${tokenId}/communityAdminAirdropWithoutConsentSig`, airdrop),
      post(`${tokenId}/addContributors`, await signedContributors(tokenId, creator, ['bob'])),
      post(`${tokenId}/removeContributors`, { contributors: ['ada'] }),
      post(`${tokenId}/owners/${owner.address}/revoke`, { reason }),
      post(`${tokenId}/owners/${owner.address}/reinstate`, { reason }),
      post(`${tokenId}/owners/${owner.address}/move`, { toAddress: newAddress(), reason }),
      post(`${tokenId}/claimLinks`, { identifiers: ['ada'] }),
      post(`${tokenId}/invitations`, { recipients, signature }),
      send(`claimLinks/${link?.claimLinkId}`, 'DELETE'),
      send(`invitations/${invitation?.invitationId}`, 'DELETE'),
      send(`invitations/${invitation?.invitationId}/resend`, 'POST'),
      fixture.service.call('/v1/communities/demo/cancelMails', {
        json: { tokenId },
        key: fixture.service.apiKey,
      }),
      put(tokenId, [{ contributor: 'ada', name: 'Ada' }]),
      patch(tokenId, { criteria: 'Gave a talk.' }),
      patch(tokenId, { criteria: null, isHidden: false }),
      replace(tokenId, third),
    ]);
    const problems = await Promise.all(responses.map((response) => json<Problem>(response)));
    for (const [index, problem] of problems.entries()) {
      const expected = { status: 409, name: 'TokenReplaced', replacedByTokenId: replacementTokenId };
      expect(problem, String(index)).toMatchObject(expected);
    }
    // Nothing of it has changed the replacement.
    expect(await addressesOf(replacementTokenId)).toEqual([owner.address]);
    expect(await linksOf(replacementTokenId)).toMatchObject([{ status: 'unused' }, { status: 'unused' }]);
  });

  test('has credentials no more, and the replacement has new ones on demand', async () => {
    const owner = newAddress();
    const tokenId = await createToken();
    await claim(tokenId, owner);
    const read = (id: number) => fixture.service.call(`/v1/tokens/${id}/credentials/${owner}`);
    const first = await json<{ credentialStatus: object }>(read(tokenId));
    const replacementTokenId = await createToken();
    await succeed(replace(tokenId, replacementTokenId));
    expect(await nameOf(read(tokenId))).toBe('CredentialRevoked');
    const rows = await query<{ revoked: boolean }>(
      fixture.service.databaseUrl,
      'select revoked_at is not null as revoked from credentials where token_id = $1',
      [tokenId],
    );
    expect(rows).toEqual([{ revoked: true }]);
    const second = await read(replacementTokenId);
    expect(second.status).toBe(200);
    expect(await json<{ credentialStatus: object }>(second)).not.toMatchObject({
      credentialStatus: first.credentialStatus,
    });
  });

  test('is in one event and one audit entry, with how many owners have moved', async () => {
    const tokenId = await createToken();
    for (const address of [newAddress(), newAddress()]) await claim(tokenId, address);
    const replacementTokenId = await createToken();
    const { call, apiKey, databaseUrl } = fixture.service;
    await waitForPlacedEvents(databaseUrl);
    const start = await json<{ nextCursor: string }>(
      call('/v1/communities/demo/events?after=end', { key: apiKey }),
    );
    const operation = await finish(await replace(tokenId, replacementTokenId));
    expect(operation).toMatchObject({ operationType: 'replace', status: 'success', resourceId: tokenId });
    const { operationId } = operation;
    const readReplacements = async () => {
      const { data } = await json<{ data: { type: string; data: object }[] }>(
        call(`/v1/communities/demo/events?after=${start.nextCursor}`, { key: apiKey }),
      );
      return data.filter(({ type }) => type === 'token.replaced').map((event) => event.data);
    };
    await expect
      .poll(readReplacements, { timeout: 10_000 })
      .toEqual([{ operationId, tokenId, replacementTokenId, ownerCount: 2 }]);
    const log = await json<{ data: AuditEntry[] }>(
      call('/v1/auditLog?action=replace&communityId=demo', { key: apiKey }),
    );
    expect(log.data[0]).toMatchObject({ resourceId: operationId, tokenId, operationStatus: 'success' });
  });

  test('of several in a row, each names the last one, and their codes work there', async () => {
    const owner = newAddress();
    const first = await createListed();
    const room = await createRoom(first);
    await succeed(claimWithCode(first, owner, room.code));
    const [second, third] = [await createListed(), await createListed()];
    await succeed(replace(first, second));
    const [link] = await createLinks(second, {
      count: 1,
      signature: await signTokenId(creator, 'AllowlistedAddress', second),
    });
    await succeed(replace(second, third));
    expect(await tokenOf(first)).toMatchObject({ replacedByTokenId: third });
    expect(await tokenOf(second)).toMatchObject({ replacedByTokenId: third });
    for (const id of [first, second, third]) {
      expect(await succeed(claimWithCode(id, newAddress(), room.code))).toBe(third);
    }
    expect(await checkCode(first, link?.code ?? '')).toMatchObject({ reasons: ['ClaimCodeInvalid'] });
    expect(await checkCode(second, link?.code ?? '')).toMatchObject({ canClaim: true });
    expect(await checkCode(third, link?.code ?? '')).toMatchObject({ canClaim: true });
    expect(await addressesOf(third)).toHaveLength(4);
    expect(await addressesOf(first, 'replaced')).toEqual([owner]);
    expect(await addressesOf(second, 'replaced')).toHaveLength(1);
  });
});

describe('a token that cannot replace another one', () => {
  const detailOf = async (tokenId: number, replacementTokenId: number) => {
    const { name, detail, status } = await json<Problem>(replace(tokenId, replacementTokenId));
    expect([status, name]).toEqual([409, 'ReplacementMismatch']);
    return detail;
  };

  test('belongs to something else, is used, or is too small', async () => {
    const tokenId = await createToken();
    for (const address of [newAddress(), newAddress()]) await claim(tokenId, address);
    const claimed = await createToken();
    await claim(claimed, newAddress());
    const [replaced, used] = [await createToken(), await createToken()];
    await succeed(replace(replaced, used));
    const listed = await createListed();
    expect(await detailOf(tokenId, tokenId)).toMatch(/itself/);
    expect(await detailOf(tokenId, await createToken({ isSignatureRequired: true }))).toMatch(/signature/);
    expect(await detailOf(tokenId, listed)).toMatch(/allowlist/);
    expect(await detailOf(tokenId, claimed)).toMatch(/claimed/);
    expect(await detailOf(tokenId, replaced)).toContain(`by token ${used}`);
    expect(await detailOf(tokenId, used)).toMatch(/already/);
    expect(await detailOf(tokenId, await createToken({ totalClaimCount: 1 }))).toMatch(/1 times.*2 times/);
    expect(await detailOf(listed, await createListed('ada'))).toMatch(/contributors/);
    // One that is just large enough can.
    await succeed(replace(tokenId, await createToken({ totalClaimCount: 2 })));
  });

  test('is of another creator or another community, or does not exist', async () => {
    const tokenId = await createToken();
    await query(fixture.service.databaseUrl, 'update tokens set creator = $1 where token_id = $2', [
      Buffer.alloc(20, 7),
      tokenId,
    ]);
    expect(await detailOf(tokenId, await createToken())).toMatch(/creator/);
    const { call, adminKey } = fixture.service;
    await call('/v1/communities', { json: { uniqId: 'else', displayId: 'e', name: 'Else' }, key: adminKey });
    const elsewhere = await createToken();
    await query(fixture.service.databaseUrl, "update tokens set community_id = 'else' where token_id = $1", [
      elsewhere,
    ]);
    expect(await detailOf(await createToken(), elsewhere)).toMatch(/community/);
    expect(await nameOf(replace(await createToken(), 999_999_999))).toBe('TokenNotFound');
  });

  test('can become so before the replacement is settled', async () => {
    const [tokenId, replacementTokenId] = [await createToken(), await createToken()];
    await succeed(replace(tokenId, replacementTokenId));
    // As if two requests had been accepted at once.
    const second = await createToken();
    const [{ operation_id: operationId } = { operation_id: '' }] = await query<{ operation_id: string }>(
      fixture.service.databaseUrl,
      `insert into operations (operation_id, operation_type, status, community_id, request, request_bytes)
       values (gen_random_uuid(), 'replace', 'processing', 'demo', $1, 10) returning operation_id`,
      [JSON.stringify({ tokenId, replacementTokenId: second })],
    );
    const operation = await json<{ error: Problem }>(
      fixture.service.call(`/v1/operations/${operationId}?wait=20`),
    );
    expect(operation.error).toMatchObject({ name: 'TokenReplaced' });
    expect((await tokenOf(second)).replacedByTokenId).toBeNull();
  });
});

test('operations that were accepted before are settled on the replacement', async () => {
  const api = await startTestService({ BADGE_ROLE: 'api' });
  const settleAll = async () => {
    const worker = await startTestService({ BADGE_ROLE: 'worker', DATABASE_URL: api.databaseUrl });
    await Promise.all(pending.splice(0).map((location) => api.call(`${location}?wait=30`)));
    await worker.stop();
  };
  const pending: string[] = [];
  const send = async (path: string, body: unknown) => {
    const response = await api.call(path, { json: body, key: api.apiKey });
    expect(response.status, await response.clone().text()).toBe(202);
    const location = response.headers.get('location') ?? '';
    pending.push(location);
    return location;
  };
  const outcomeOf = async (location: string) => {
    const { status, error, resourceId } = await json<{
      status: string;
      error: Problem | null;
      resourceId: number | null;
    }>(api.call(location));
    return error?.name ?? `${status} ${resourceId}`;
  };
  const fields = { isAllowlistRequired: true, totalClaimCount: null };
  const [burner, revoked, moved, waiting] = [newWallet(), newAddress(), newAddress(), newAddress()];
  const contributors = [creator.address, burner.address, revoked, moved, waiting, 'ada'];
  await send('/v1/tokens', await signedToken({ ...fields, contributors }, creator));
  await send('/v1/tokens', await signedToken({ ...fields, contributors: [creator.address] }, creator));
  await settleAll();
  for (const claimingAddress of [burner.address, revoked, moved]) {
    await send('/v1/tokens/1/claim', { claimingAddress });
  }
  await settleAll();

  const receiver = newAddress();
  const locations = [
    await send('/v1/tokens/1/claim', { claimingAddress: waiting }),
    await send('/v1/tokens/1/burn', await signedBurn(1, burner)),
    await send(`/v1/tokens/1/owners/${revoked}/revoke`, { reason }),
    await send(`/v1/tokens/1/owners/${moved}/move`, { toAddress: receiver, reason }),
    await send('/v1/tokens/1/addContributors', await signedContributors(1, creator, ['bob'])),
    await send('/v1/tokens/1/removeContributors', { contributors: ['ada'] }),
  ];
  const replacement = await send('/v1/tokens/1/replace', { replacementTokenId: 2 });
  // The replacement is settled before all others.
  await api.context.transaction((tx) => settleReplacements(tx, [replacement.split('/').at(-1) ?? '']));
  await settleAll();

  expect(await Promise.all(locations.map(outcomeOf))).toEqual(locations.map(() => 'success 2'));
  const rows = await query<{ token_id: string; address: string; status: string }>(
    api.databaseUrl,
    `select token_id, '0x' || encode(address, 'hex') as address,
       case when burnt_at is null then 'held' else coalesce(ending, 'burnt') end as status from claims`,
  );
  const statusesOf = (id: string) =>
    Object.fromEntries(
      rows.filter((row) => row.token_id === id).map(({ address, status }) => [address, status]),
    );
  const lower = (address: string) => address.toLowerCase();
  expect(statusesOf('2')).toEqual({
    [lower(waiting)]: 'held',
    [lower(burner.address)]: 'burnt',
    [lower(revoked)]: 'revoked',
    [lower(moved)]: 'moved',
    [lower(receiver)]: 'held',
  });
  expect(statusesOf('1')).toEqual({
    [lower(burner.address)]: 'replaced',
    [lower(revoked)]: 'replaced',
    [lower(moved)]: 'replaced',
  });
  const listed = await query(
    api.databaseUrl,
    "select from allowlist_entries where token_id = 2 and identifier in ('ada', 'bob')",
  );
  expect(listed).toHaveLength(1);
  const people = await query(
    api.databaseUrl,
    "select token_id, identifier from recipients where identifier in ('ada', 'bob')",
  );
  expect(people).toEqual([{ token_id: '2', identifier: 'bob' }]);
  expect(await countWrongTokenCounts(api.databaseUrl)).toBe(0);
  await api.stop();
});
