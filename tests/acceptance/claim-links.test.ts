import { randomUUID } from 'node:crypto';
import { newAddress, newWallet } from '@badge/test-support/signing';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import {
  addContributors,
  burn,
  checkClaimCode,
  claimLinksOf,
  claimWithCode,
  claimWithKey,
  claimWithSignature,
  contributorsOf,
  createAllowlistedToken,
  createClaimLink,
  createClaimLinks,
  createOpenToken,
  createTwoClaimLinks,
  eligibilityOf,
  expectDone,
  findInWallet,
  outcomeOf,
  ownersOf,
  postTo,
  remainingOf,
  revokeClaimLink,
  signTokenId,
  withWrongChecksum,
} from './claim-requests.ts';
import { call, read, uuid, withDemoKey } from './client.ts';
import { describeListing } from './listings.ts';
import { asOperator, createApiKey, createCommunity, operatorOnly } from './operator.ts';
import { expectParameters, expectPointers, expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';

/** A code of the right form that no link has. */
const UNKNOWN_CODE = '0'.repeat(26);
const postLinks = (tokenId: number | string, body: unknown, headers = withDemoKey) =>
  postTo(tokenId, 'claimLinks', body, headers);

/**
 * Checks that `checkClaimCode` returns these reasons, and that a claim with the code is rejected with the
 * first.
 */
async function expectReasons(tokenId: number, code: string, reasons: string[]): Promise<void> {
  expect(await checkClaimCode(tokenId, code)).toStrictEqual({
    canClaim: reasons.length === 0,
    isSignatureRequired: false,
    isWalletRequired: false,
    reasons,
  });
  const [name] = reasons;
  if (name !== undefined) expect(await outcomeOf(claimWithCode(tokenId, code, newAddress()))).toBe(name);
}

describe('links of an open token', () => {
  test('have codes that are returned only when they are created', async () => {
    const tokenId = await createOpenToken();
    const response = await postLinks(tokenId, { count: 2 });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { items } = JSON.parse(response.text);
    const [{ code }, other] = items;
    expect(items).toHaveLength(2);
    expect(items[0]).toStrictEqual({
      claimLinkId: expect.stringMatching(new RegExp(`^${uuid.source}$`)),
      code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      url: expect.stringMatching(new RegExp(`^https?://.*/claim/${tokenId}#${code}$`)),
      identifier: null,
      expiresAtTimestamp: null,
      createdAtTimestamp: expect.any(Number),
    });
    expect(other.code).not.toBe(code);
    const list = await call(`/v1/tokens/${tokenId}/claimLinks`, { headers: withDemoKey });
    expect(list.text).toContain(items[0].claimLinkId);
    for (const secret of [code, other.code]) expect(list.text).not.toContain(secret);
  });

  test('each let somebody claim once without a key', async () => {
    const tokenId = await createOpenToken();
    const links = await createClaimLinks(tokenId, { count: 3 });
    const addresses: string[] = [];
    for (const { code } of links) {
      await expectReasons(tokenId, code, []);
      const address = newAddress();
      await expectDone(tokenId, claimWithCode(tokenId, code, address));
      addresses.push(address);
      await expectReasons(tokenId, code, ['ClaimCodeUsed']);
    }
    expect((await ownersOf(tokenId)).map(({ address }) => address)).toEqual(addresses);
    expect(await remainingOf(tokenId)).toBe(7);
  });

  test('reserve no claim, and their codes stay unused if no tokens are left', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 1 });
    const { code, claimLinkId } = await createClaimLink(tokenId);
    await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
    await expectReasons(tokenId, code, ['NoTokensLeft']);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ claimLinkId, status: 'unused' }]);
  });

  test("are not on the token's list of contributors", async () => {
    const tokenId = await createOpenToken();
    await createClaimLinks(tokenId, { count: 2 });
    expect(await contributorsOf(tokenId)).toEqual([]);
  });

  test('cannot be used after the token has expired', async () => {
    const tokenId = await createOpenToken({ expirationTimestamp: 1 });
    const { code } = await createClaimLink(tokenId);
    await expectReasons(tokenId, code, ['TokenClaimExpired']);
  });

  test('are at most 1,000 per request', async () => {
    const tokenId = await createOpenToken();
    const links = await createClaimLinks(tokenId, { count: 1_000 });
    expect(new Set(links.map(({ code }) => code)).size).toBe(1_000);
    const listed = await claimLinksOf(tokenId);
    expect(listed.map(({ claimLinkId }) => claimLinkId)).toEqual(links.map(({ claimLinkId }) => claimLinkId));
    expectPointers(await postLinks(tokenId, { count: 1_001 }), ['/count']);
  });
});

describe('links for identifiers', () => {
  const listed = ['Ada@example.org', 'bob@example.org', 'carla.eth'];

  test('let somebody claim for the identifier without a key', async () => {
    const tokenId = await createAllowlistedToken(listed);
    const [forCarla, forAda] = await createTwoClaimLinks(tokenId, {
      identifiers: ['carla.eth', ' ada@EXAMPLE.org'],
    });
    expect([forCarla.identifier, forAda.identifier]).toEqual(['carla.eth', 'Ada@example.org']);
    const address = newAddress();
    await expectReasons(tokenId, forAda.code, []);
    await expectDone(tokenId, claimWithCode(tokenId, forAda.code, address));
    expect((await contributorsOf(tokenId)).map((entry) => [entry.address, entry.hasClaimed])).toEqual([
      [address, true],
      [null, false],
      [null, false],
    ]);
    expect(await findInWallet(tokenId, address)).toMatchObject({ claimStatus: 'claimed' });
    expect(await claimLinksOf(tokenId)).toMatchObject([
      { identifier: 'carla.eth', status: 'unused', claimingAddress: null, usedAtTimestamp: null },
      { identifier: 'Ada@example.org', status: 'used', claimingAddress: address },
    ]);
    const claimAgain = claimWithKey(tokenId, newAddress(), { identifier: 'ada@example.org' });
    expect(await outcomeOf(claimAgain)).toBe('ClaimingAddressAlreadyHasToken');
  });

  test('count as used after their identifier has claimed with the API key', async () => {
    const tokenId = await createAllowlistedToken(listed);
    const link = await createClaimLink(tokenId, { identifiers: ['bob@example.org'] });
    const address = newAddress();
    await expectDone(tokenId, claimWithKey(tokenId, address, { identifier: 'bob@example.org' }));
    await expectReasons(tokenId, link.code, ['ClaimCodeUsed']);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'used', claimingAddress: address }]);
    expectProblem(await revokeClaimLink(tokenId, link.claimLinkId), 409, 'ClaimCodeUsed');
  });

  test('can be created again, and only one of the codes can be used', async () => {
    const tokenId = await createAllowlistedToken(listed);
    const createForBob = () => createClaimLink(tokenId, { identifiers: ['bob@example.org'] });
    const [first, second] = [await createForBob(), await createForBob()];
    await expectDone(tokenId, claimWithCode(tokenId, second.code, newAddress()));
    await expectReasons(tokenId, first.code, ['ClaimCodeUsed']);
  });

  test('use the entry of the identifier, even if the address is on the allowlist too', async () => {
    const address = newAddress();
    const tokenId = await createAllowlistedToken([address, 'ada@example.org']);
    const link = await createClaimLink(tokenId, { identifiers: ['ada@example.org'] });
    await expectDone(tokenId, claimWithCode(tokenId, link.code, address));
    await expectReasons(tokenId, link.code, ['ClaimCodeUsed']);
    expect(await contributorsOf(tokenId)).toMatchObject([{ hasClaimed: true }, { hasClaimed: true }]);
  });

  test('are all rejected if one of the identifiers cannot have a link', async () => {
    const tokenId = await createAllowlistedToken([...listed, newAddress()]);
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { identifier: 'bob@example.org' }));
    const identifiers = [
      'carla.eth',
      'nobody@example.org', // Not listed.
      'bob@example.org', // Has claimed.
      'Carla.eth', // Listed only in lower case.
    ];
    expectPointers(await postLinks(tokenId, { identifiers }), [
      '/identifiers/1',
      '/identifiers/2',
      '/identifiers/3',
    ]);
    expect(await claimLinksOf(tokenId)).toEqual([]);
  });

  test('are created once for an e-mail that is sent in upper and lower case', async () => {
    const tokenId = await createAllowlistedToken(listed);
    const links = await createClaimLinks(tokenId, {
      identifiers: ['ADA@example.org', 'carla.eth', 'ada@EXAMPLE.ORG', ' carla.eth'],
    });
    expect(links.map(({ identifier }) => identifier)).toEqual(['Ada@example.org', 'carla.eth']);
  });

  test('are rejected for addresses and for malformed identifiers', async () => {
    const address = newAddress();
    const tokenId = await createAllowlistedToken([address]);
    const identifiers = [address, '', 5, 'a'.repeat(257), 'nul\0'];
    const places = (indexes: number[]) => indexes.map((index) => `/identifiers/${index}`);
    // An address is reported only if no identifier is malformed.
    expectPointers(await postLinks(tokenId, { identifiers }), places([1, 2, 3, 4]));
    expectPointers(await postLinks(tokenId, { identifiers: [address] }), places([0]));
    for (const wrong of [[], 'ada', Array(1_001).fill('ada')]) {
      expectPointers(await postLinks(tokenId, { identifiers: wrong }), ['/identifiers']);
    }
  });
});

describe("links that add to the allowlist, with the creator's signature", () => {
  const creator = newWallet();
  const createTwoSigned = async (tokenId: number) => {
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    return await createTwoClaimLinks(tokenId, { count: 2, signature });
  };

  test('can each be used once, and are on the list of contributors', async () => {
    const tokenId = await createAllowlistedToken(['ada'], creator);
    const [first, second] = await createTwoSigned(tokenId);
    const address = newAddress();
    await expectDone(tokenId, claimWithCode(tokenId, first.code, address));
    await expectReasons(tokenId, first.code, ['ClaimCodeUsed']);
    expect(await contributorsOf(tokenId)).toStrictEqual([
      { contributor: 'ada', address: null, hasClaimed: false },
      { contributor: `claimLink:${first.claimLinkId}`, address, hasClaimed: true },
      { contributor: `claimLink:${second.claimLinkId}`, address: null, hasClaimed: false },
    ]);
    expect(await ownersOf(tokenId)).toMatchObject([{ address }]);
    expect((await eligibilityOf(tokenId, newAddress())).reasons).toEqual(['AddressNotAllowlisted']);
  });

  test('cannot be used by sending their code, or their text in the list of contributors, as an identifier', async () => {
    const tokenId = await createAllowlistedToken(['ada'], creator);
    const [link] = await createTwoSigned(tokenId);
    for (const identifier of [`claimLink:${link.claimLinkId}`, link.code]) {
      const claim = claimWithKey(tokenId, newAddress(), { identifier });
      expect(await outcomeOf(claim)).toBe('AddressNotAllowlisted');
    }
  });

  test('leave the allowlist when they are revoked', async () => {
    const tokenId = await createAllowlistedToken(['ada'], creator);
    const [first, second] = await createTwoSigned(tokenId);
    expect((await revokeClaimLink(tokenId, first.claimLinkId)).status).toBe(204);
    await expectDone(tokenId, addContributors(tokenId, creator, ['bob']));
    expect((await contributorsOf(tokenId)).map(({ contributor }) => contributor)).toEqual([
      'ada',
      `claimLink:${second.claimLinkId}`,
      'bob',
    ]);
    await expectReasons(tokenId, first.code, ['ClaimCodeInvalid']);
    await expectReasons(tokenId, second.code, []);
  });

  test('are rejected without the right signature', async () => {
    const tokenId = await createAllowlistedToken(['ada'], creator);
    const signature = await signTokenId(newWallet(), 'AllowlistedAddress', tokenId);
    expectProblem(await postLinks(tokenId, { count: 1, signature }), 403, 'NotSignedByCreator');
    expectProblem(await postLinks(tokenId, { count: 1, signature: '0x12' }), 400, 'InvalidSignature');
    expectProblem(await postLinks(tokenId, { count: 1 }), 409, 'AllowlistMismatch');
    expect(await contributorsOf(tokenId)).toHaveLength(1);
  });
});

describe('claim links are rejected', () => {
  test.each<[string, Body, string[]]>([
    ['without identifiers and count', {}, ['']],
    ['with null identifiers and count', { identifiers: null, count: null }, ['']],
    ['with identifiers and count', { identifiers: ['ada'], count: 1 }, ['/count']],
    ['with identifiers and a signature', { identifiers: ['ada'], signature: '0x' }, ['/signature']],
    ['with a count of 0', { count: 0 }, ['/count']],
    ['with a count that is text', { count: '1' }, ['/count']],
    ['with an expiration in the past', { count: 1, expiresAtTimestamp: 0 }, ['/expiresAtTimestamp']],
    ['with an expiration that is text', { count: 1, expiresAtTimestamp: 'x' }, ['/expiresAtTimestamp']],
  ])('%s: %j', async (_title, body, places) => {
    expectPointers(await postLinks(await createOpenToken(), body), places);
  });

  test('for an open token with identifiers or a signature, and for an allowlisted token with only a count', async () => {
    const creator = newWallet();
    const openTokenId = await createOpenToken({}, creator);
    const signature = await signTokenId(creator, 'AllowlistedAddress', openTokenId);
    for (const body of [{ identifiers: ['ada'] }, { count: 1, signature }]) {
      expectProblem(await postLinks(openTokenId, body), 409, 'AllowlistMismatch');
    }
    const allowlisted = await createAllowlistedToken(['ada']);
    expectProblem(await postLinks(allowlisted, { count: 1 }), 409, 'AllowlistMismatch');
  });

  test('for an unknown token, and without a key', async () => {
    expectProblem(await postLinks(9_000_000_000_000_000, { count: 1 }), 404, 'TokenNotFound');
    expectProblem(await postLinks(await createOpenToken(), { count: 1 }, {}), 401, 'ApiKeyRequired');
  });

  test.skipIf(operatorOnly.isSkipped)(`with another community's key${operatorOnly.titleSuffix}`, async () => {
    const tokenId = await createOpenToken();
    const { claimLinkId } = await createClaimLink(tokenId);
    const { apiKey } = await createApiKey((await createCommunity()).uniqId);
    const headers = { 'X-API-Key': apiKey };
    expectProblem(await postLinks(tokenId, { count: 1 }, headers), 403, 'ApiKeyNotAllowed');
    expectProblem(await revokeClaimLink(tokenId, claimLinkId, headers), 403, 'ApiKeyNotAllowed');
    const list = await call(`/v1/tokens/${tokenId}/claimLinks`, { headers });
    expectProblem(list, 403, 'ApiKeyNotAllowed');
    expect((await postLinks(tokenId, { count: 1 }, asOperator)).status).toBe(201);
  });
});

describe('a claim with a code', () => {
  test('accepts the code in lower case, with spaces and hyphens, and with letters for 0 and 1', async () => {
    const tokenId = await createOpenToken();
    // Among so many random codes, at least one has a 0 and two 1s.
    const links = await createClaimLinks(tokenId, { count: 1_000 });
    const withDigits = links.find(({ code }) => /0/.test(code) && /1.*1/.test(code));
    const other = links.find((link) => link !== withDigits);
    if (other === undefined || withDigits === undefined) throw new Error('no code has a 0 and two 1s');
    const spaced = other.code.toLowerCase().replaceAll(/(.{5})/g, '$1 - ');
    await expectDone(tokenId, claimWithCode(tokenId, spaced, newAddress()));
    const withLetters = withDigits.code.replaceAll('0', 'o').replace('1', 'I').replaceAll('1', 'l');
    await expectDone(tokenId, claimWithCode(tokenId, withLetters, newAddress()));
  });

  test("needs the claimer's signature too if the token requires one", async () => {
    const tokenId = await createOpenToken({ isSignatureRequired: true });
    const { code } = await createClaimLink(tokenId);
    expect(await checkClaimCode(tokenId, code)).toMatchObject({ canClaim: true, isWalletRequired: true });
    expectProblem(await claimWithCode(tokenId, code, newAddress()), 400, 'SignatureRequired');
    const [claimer, other] = [newWallet(), newWallet()];
    const signature = await signTokenId(other, 'Claim', tokenId);
    const claim = (fields: Body) => claimWithCode(tokenId, code, claimer.address, fields);
    expectProblem(await claim({ signature }), 403, 'NotSignedByClaimer');
    await expectDone(tokenId, claimWithSignature(tokenId, claimer, { claimCode: code }));
    expect((await checkClaimCode(tokenId, code)).reasons).toEqual(['ClaimCodeUsed']);
  });

  test('can be sent with the key of the community', async () => {
    const tokenId = await createOpenToken();
    const { code } = await createClaimLink(tokenId);
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { claimCode: code }));
    await expectReasons(tokenId, code, ['ClaimCodeUsed']);
  });

  test('is rejected if the address has claimed before, even after a burn, and leaves the code unused', async () => {
    const tokenId = await createOpenToken();
    const { code } = await createClaimLink(tokenId);
    const owner = newWallet();
    await expectDone(tokenId, claimWithSignature(tokenId, owner));
    const claimAgain = () => outcomeOf(claimWithCode(tokenId, code, owner.address));
    expect(await claimAgain()).toBe('ClaimingAddressAlreadyHasToken');
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await claimAgain()).toBe('ClaimingAddressAlreadyHasToken');
    await expectReasons(tokenId, code, []);
  });

  test('uses the code up, even if the token is burned later', async () => {
    const tokenId = await createOpenToken();
    const { code } = await createClaimLink(tokenId);
    const owner = newWallet();
    await expectDone(tokenId, claimWithCode(tokenId, code, owner.address));
    await expectDone(tokenId, burn(tokenId, owner));
    await expectReasons(tokenId, code, ['ClaimCodeUsed']);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'used', claimingAddress: owner.address }]);
  });

  test('is rejected if the code is unknown, malformed or of another token', async () => {
    const [tokenId, otherTokenId] = [await createOpenToken(), await createOpenToken()];
    const { code, claimLinkId } = await createClaimLink(otherTokenId);
    for (const wrong of [UNKNOWN_CODE, code, 'x', claimLinkId, '-', 'ü'.repeat(64)]) {
      await expectReasons(tokenId, wrong, ['ClaimCodeInvalid']);
      expectProblem(await claimWithCode(tokenId, wrong, newAddress()), 403, 'ClaimCodeInvalid');
    }
    expect((await checkClaimCode(otherTokenId, code)).canClaim).toBe(true);
  });

  test.each<[string, Body, string]>([
    ['sent with an identifier', { claimCode: UNKNOWN_CODE, identifier: 'ada' }, '/claimCode'],
    ['empty', { claimCode: '' }, '/claimCode'],
    ['a number', { claimCode: 5 }, '/claimCode'],
    ['too long', { claimCode: '0'.repeat(65) }, '/claimCode'],
    [
      'sent for an address with a wrong checksum',
      {
        claimCode: UNKNOWN_CODE,
        claimingAddress: withWrongChecksum('0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044'),
      },
      '/claimingAddress',
    ],
  ])('is rejected if the code is %s: %j', async (_title, fields, place) => {
    const tokenId = await createOpenToken();
    expectPointers(await postTo(tokenId, 'claim', { claimingAddress: newAddress(), ...fields }), [place]);
  });

  test('treats a code that is null as absent', async () => {
    const tokenId = await createOpenToken();
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { claimCode: null }));
    const withoutKey = postTo(tokenId, 'claim', { claimingAddress: newAddress(), claimCode: null });
    expectProblem(await withoutKey, 401, 'ApiKeyOrSignatureRequired');
  });

  test('returns the same operation if it is repeated with the same Idempotency-Key', async () => {
    const tokenId = await createOpenToken();
    const { code } = await createClaimLink(tokenId);
    const body = { claimingAddress: newAddress(), claimCode: code };
    const claim = (key: string) => postTo(tokenId, 'claim', body, { 'Idempotency-Key': key });
    const key = randomUUID();
    const first = await claim(key);
    await expectDone(tokenId, first);
    const again = await claim(key);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expectProblem(await claim(randomUUID()), 409, 'ClaimingAddressAlreadyHasToken');
  });
});

describe('a code', () => {
  test('is used once if many addresses claim with it at the same time', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 100 });
    const { code } = await createClaimLink(tokenId);
    const addresses = Array.from({ length: 20 }, newAddress);
    const outcomes = await Promise.all(
      addresses.map((address) => outcomeOf(claimWithCode(tokenId, code, address))),
    );
    expect(outcomes.toSorted()).toEqual([...Array(19).fill('ClaimCodeUsed'), 'success']);
    expect(await ownersOf(tokenId)).toMatchObject([{ address: addresses[outcomes.indexOf('success')] }]);
    expect(await remainingOf(tokenId)).toBe(99);
  });

  test('is used once if its identifier claims with the key at the same time', async () => {
    const identifiers = Array.from({ length: 10 }, (_, index) => `person-${index}`);
    const tokenId = await createAllowlistedToken(identifiers);
    const links = await createClaimLinks(tokenId, { identifiers });
    const outcomes = await Promise.all(
      links.flatMap(({ code, identifier }) => [
        outcomeOf(claimWithCode(tokenId, code, newAddress())),
        outcomeOf(claimWithKey(tokenId, newAddress(), { identifier })),
      ]),
    );
    expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(10);
    expect(await ownersOf(tokenId)).toHaveLength(10);
    expect((await claimLinksOf(tokenId)).map(({ status }) => status)).toEqual(Array(10).fill('used'));
  });

  test('stays unused if its claim loses a race for the last token', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 3 });
    const links = await createClaimLinks(tokenId, { count: 10 });
    const outcomes = await Promise.all(
      links.map(({ code }) => outcomeOf(claimWithCode(tokenId, code, newAddress()))),
    );
    expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(3);
    const statuses = (await claimLinksOf(tokenId)).map(({ status }) => status);
    expect(statuses).toEqual(outcomes.map((outcome) => (outcome === 'success' ? 'used' : 'unused')));
    expect(await remainingOf(tokenId)).toBe(0);
  });

  test('is either used or revoked if its link is revoked during the claim', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 100 });
    const links = await createClaimLinks(tokenId, { count: 20 });
    await Promise.all(
      links.map(async ({ code, claimLinkId }) => {
        const [outcome, revocation] = await Promise.all([
          outcomeOf(claimWithCode(tokenId, code, newAddress())),
          revokeClaimLink(tokenId, claimLinkId),
        ]);
        const isUsed = outcome === 'success';
        if (!isUsed) expect(outcome).toBe('ClaimCodeInvalid');
        expect(revocation.status).toBe(isUsed ? 409 : 204);
      }),
    );
    const statuses = (await claimLinksOf(tokenId)).map(({ status }) => status);
    const owners = await ownersOf(tokenId);
    expect(statuses.filter((status) => status === 'used')).toHaveLength(owners.length);
  });
});

describe('the list of claim links', () => {
  let tokenId = 0;
  let links: Awaited<ReturnType<typeof createClaimLinks>> = [];
  const address = newAddress();
  beforeAll(async () => {
    tokenId = await createOpenToken();
    links = await createClaimLinks(tokenId, { count: 4, expiresAtTimestamp: 8_640_000_000_000_000 });
    await expectDone(tokenId, claimWithCode(tokenId, links[1]?.code ?? '', address));
    expect((await revokeClaimLink(tokenId, links[2]?.claimLinkId ?? '')).status).toBe(204);
  });
  const listPath = () => `/v1/tokens/${tokenId}/claimLinks`;
  describeListing(listPath, withDemoKey);
  describeListing(listPath, withDemoKey, () => 'status=unused&');

  test('has the links in the order of creation, with their status', async () => {
    const common = {
      identifier: null,
      createdAtTimestamp: links[0]?.createdAtTimestamp,
      startsAtTimestamp: null,
      expiresAtTimestamp: 8_640_000_000_000_000,
      maxClaims: 1,
      claimCount: 0,
      isPaused: false,
      claimingAddress: null,
      usedAtTimestamp: null,
    };
    const used = {
      status: 'used',
      claimCount: 1,
      claimingAddress: address,
      usedAtTimestamp: expect.any(Number),
    };
    expect(await claimLinksOf(tokenId)).toStrictEqual([
      { ...common, claimLinkId: links[0]?.claimLinkId, status: 'unused' },
      { ...common, claimLinkId: links[1]?.claimLinkId, ...used },
      { ...common, claimLinkId: links[2]?.claimLinkId, status: 'revoked' },
      { ...common, claimLinkId: links[3]?.claimLinkId, status: 'unused' },
    ]);
  });

  test.each([
    ['unused', [0, 3]],
    ['used', [1]],
    ['revoked', [2]],
    ['expired', []],
    ['paused', []],
    ['notStarted', []],
  ])('with status=%s has the links at the positions %j', async (status, indexes) => {
    const ids = (await claimLinksOf(tokenId, `?status=${status}`)).map(({ claimLinkId }) => claimLinkId);
    expect(ids).toEqual(indexes.map((index) => links[index]?.claimLinkId));
  });

  test('is paged', async () => {
    const ids = (page: { claimLinkId: string }[]) => page.map(({ claimLinkId }) => claimLinkId);
    expect(ids(await claimLinksOf(tokenId, '?limit=2&offset=1'))).toEqual(ids(links.slice(1, 3)));
    expect(ids(await claimLinksOf(tokenId, '?status=unused&limit=1&offset=1'))).toEqual(ids(links.slice(3)));
  });

  test.each(['used,unused', 'USED', 'x'])('rejects status=%s', async (status) => {
    expectParameters(await call(`${listPath()}?status=${status}`, { headers: withDemoKey }), ['status']);
  });
});

describe('a link', () => {
  test('cannot be used after it was revoked, and can be revoked again', async () => {
    const tokenId = await createOpenToken();
    const { code, claimLinkId } = await createClaimLink(tokenId);
    for (let revocation = 0; revocation < 2; revocation += 1) {
      const response = await revokeClaimLink(tokenId, claimLinkId);
      expect({ status: response.status, length: response.bytes.length }).toEqual({ status: 204, length: 0 });
    }
    await expectReasons(tokenId, code, ['ClaimCodeInvalid']);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'revoked' }]);
  });

  test('cannot be revoked after it was used, through another token, or if it does not exist', async () => {
    const [tokenId, otherTokenId] = [await createOpenToken(), await createOpenToken()];
    const { code, claimLinkId } = await createClaimLink(tokenId);
    expectProblem(await revokeClaimLink(otherTokenId, claimLinkId), 404, 'ClaimLinkNotFound');
    for (const unknown of [randomUUID(), code, 'x%00']) {
      expectProblem(await revokeClaimLink(tokenId, unknown), 404, 'ClaimLinkNotFound');
    }
    expectProblem(await revokeClaimLink(9_000_000_000_000_000, claimLinkId), 404, 'TokenNotFound');
    await expectDone(tokenId, claimWithCode(tokenId, code, newAddress()));
    expectProblem(await revokeClaimLink(tokenId, claimLinkId), 409, 'ClaimCodeUsed');
  });

  test('can be used until it expires, and not after that', async () => {
    const tokenId = await createOpenToken();
    const expiresAtTimestamp = (await readServiceTimestamp(tokenId)) + 2_000;
    const [one, two] = await createTwoClaimLinks(tokenId, { count: 2, expiresAtTimestamp });
    for (const link of [one, two]) expect(link.expiresAtTimestamp).toBe(expiresAtTimestamp);
    await expectDone(tokenId, claimWithCode(tokenId, one.code, newAddress()));
    // Checks the second code until it expires, at most two seconds later.
    let check = await checkClaimCode(tokenId, two.code);
    while (check.canClaim) check = await checkClaimCode(tokenId, two.code);
    await expectReasons(tokenId, two.code, ['ClaimCodeInvalid']);
    expect((await claimLinksOf(tokenId)).map(({ status }) => status)).toEqual(['used', 'expired']);
    expect((await claimLinksOf(tokenId, '?status=expired')).map(({ claimLinkId }) => claimLinkId)).toEqual([
      two.claimLinkId,
    ]);
  });

  /** Returns the service's current time, which is the completion time of a new claim. */
  async function readServiceTimestamp(tokenId: number): Promise<number> {
    const claim = await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
    return Number(claim.completedAtTimestamp);
  }
});

test('a check of a code needs no key, and rejects a missing, empty or non-text code, and unknown tokens', async () => {
  const tokenId = await createOpenToken();
  const { code } = await createClaimLink(tokenId);
  const response = await postTo(tokenId, 'checkClaimCode', { claimCode: code }, { 'X-API-Key': 'wrong' });
  expect(response.status).toBe(200);
  for (const body of [{}, { claimCode: null }, { claimCode: 5 }, { claimCode: '' }]) {
    expectPointers(await postTo(tokenId, 'checkClaimCode', body), ['/claimCode']);
  }
  expectProblem(await postTo('1e3', 'checkClaimCode', { claimCode: code }), 404, 'TokenNotFound');
});

test('the configuration contains the limits of claim links', async () => {
  const { limits } = await read<{ limits: Body }>('/v1/communities/demo/configuration', withDemoKey);
  expect(limits).toMatchObject({ claimLinks: 1_000, claimCodeCharacters: 64 });
});

test('the calls for claim links are documented', () => {
  const { paths } = inject('openApi');
  const path = '/v1/tokens/{tokenId}/claimLinks';
  expect(Object.keys(paths[path] ?? {}).sort()).toEqual(['get', 'post']);
  expect(Object.keys(paths[`${path}/{claimLinkId}`] ?? {})).toEqual(['patch', 'delete']);
});
