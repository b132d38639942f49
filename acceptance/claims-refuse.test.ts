import { hashMessage } from 'ethers';
import { describe, expect, inject, test } from 'vitest';
import {
  claimWithKey,
  encodings,
  expectDone,
  malformedSignatures,
  openToken,
  postTo,
  remainingOf,
  signTokenId,
  tokenIdTypes,
} from './claim-requests.ts';
import { apiKey, asJson, call, demo, withKey } from './client.ts';
import { createApiKey, createCommunity, operatorOnly } from './operator.ts';
import { expectPointers, expectProblem } from './problems.ts';
import { domain, newAddress, newWallet } from './token-requests.ts';

const unknownTokenId = 9_000_000_000_000_000;
const claimer = newWallet();
const claimingAddress = claimer.address;
const tokenId = await openToken();
const signature = await signTokenId(claimer, 'Claim', tokenId);
const claim = (fields: object, headers: Record<string, string> = {}) =>
  postTo(tokenId, 'claim', { claimingAddress, signature, ...fields }, headers);

describe('a claim signature is taken', () => {
  test.each(['v 27 or 28', 'EIP-2098', 'v 0 or 1', 'upper-case hex'])('as %s', async (encoding) => {
    const index = ['v 27 or 28', 'EIP-2098', 'v 0 or 1', 'upper-case hex'].indexOf(encoding);
    const ownTokenId = await openToken({ isSignatureRequired: true });
    const own = encodings(await signTokenId(claimer, 'Claim', ownTokenId))[index];
    await expectDone(ownTokenId, postTo(ownTokenId, 'claim', { claimingAddress, signature: own }));
  });
});

describe('a signature that is not the claim is refused, beside a key too', () => {
  const otherDomains: [string, object][] = [
    ['chain', { ...domain, chainId: domain.chainId + 1 }],
    ['contract', { ...domain, verifyingContract: `0x${'9'.repeat(40)}` }],
    ['name', { ...domain, name: 'badge' }],
    ['version', { ...domain, version: '1' }],
  ];
  test.each<[string, () => Promise<string> | string]>([
    ['of another signer', () => signTokenId(newWallet(), 'Claim', tokenId)],
    ['of another token', () => signTokenId(claimer, 'Claim', tokenId + 1)],
    ...tokenIdTypes
      .filter((type) => type !== 'Claim')
      .map((type): [string, () => Promise<string>] => [
        `of the type ${type}`,
        () => signTokenId(claimer, type, tokenId),
      ]),
    ...otherDomains.map(([title, other]): [string, () => Promise<string>] => [
      `of another ${title}`,
      () => signTokenId(claimer, 'Claim', tokenId, other),
    ]),
    ['of a plain message', () => claimer.signMessage(String(tokenId))],
    ['of a bare hash', () => claimer.signingKey.sign(hashMessage('claim')).serialized],
  ])('%s', async (_title, sign) => {
    const wrong = { signature: await sign() };
    expectProblem(await claim(wrong), 403, 'NotSignedByClaimer');
    expectProblem(await claim(wrong, withKey), 403, 'NotSignedByClaimer');
  });

  test('of another claimer, for this address', async () => {
    expectProblem(await claim({ claimingAddress: newAddress() }), 403, 'NotSignedByClaimer');
  });

  test.each(malformedSignatures(signature))('malformed: %s', async (_title, malformed) => {
    expectProblem(await claim({ signature: malformed }), 400, 'InvalidSignature');
    expectProblem(await claim({ signature: malformed }, withKey), 400, 'InvalidSignature');
  });
});

describe('a body is refused', () => {
  test.each<[string, object, string[]]>([
    ['without an address', { claimingAddress: undefined }, ['/claimingAddress']],
    ['with a null address', { claimingAddress: null }, ['/claimingAddress']],
    ['with a number as address', { claimingAddress: 5 }, ['/claimingAddress']],
    ['with a short address', { claimingAddress: claimingAddress.slice(0, -1) }, ['/claimingAddress']],
    ['with an address without 0x', { claimingAddress: claimingAddress.slice(2) }, ['/claimingAddress']],
    ['with a name as address', { claimingAddress: 'ada.eth' }, ['/claimingAddress']],
    ['with a space at the address', { claimingAddress: `${claimingAddress} ` }, ['/claimingAddress']],
    ['with a number as signature', { signature: 5 }, ['/signature']],
    ['with a list as signature', { signature: [signature] }, ['/signature']],
    ['with a flag as identifier', { identifier: true }, ['/identifier']],
    ['with an empty identifier', { identifier: '' }, ['/identifier']],
    ['with white space as identifier', { identifier: ' \t' }, ['/identifier']],
    ['with an identifier of 257 characters', { identifier: 'i'.repeat(257) }, ['/identifier']],
    ['with NUL in the identifier', { identifier: 'a\0b' }, ['/identifier']],
    ['with an address as identifier', { identifier: claimingAddress }, ['/identifier']],
    [
      'with every fault at once',
      { claimingAddress: 'x', signature: 1, identifier: 2 },
      ['/claimingAddress', '/signature', '/identifier'],
    ],
  ])('%s', async (_title, fields, places) => {
    expectPointers(await claim(fields, withKey), places);
    expectPointers(await claim(fields), places);
  });

  test.each(['[]', 'null', '"text"', '1'])('%s', async (body) => {
    expectPointers(await postTo(tokenId, 'claim', body, withKey), ['']);
  });

  test('that is no JSON', async () => {
    expectProblem(await postTo(tokenId, 'claim', '{', withKey), 400, 'InvalidRequest');
    expectProblem(await postTo(tokenId, 'claim', '', withKey), 400, 'InvalidRequest');
  });

  test('of another content type', async () => {
    const headers = { ...withKey, 'Content-Type': 'text/plain' };
    expectProblem(await postTo(tokenId, 'claim', { claimingAddress }, headers), 415, 'UnsupportedMediaType');
  });

  test('above 64 KiB', async () => {
    expectProblem(await claim({ padding: 'p'.repeat(64 * 1024) }, withKey), 413, 'TooLarge');
  });
});

describe('a key that is sent is checked', () => {
  const wrongKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`;
  const basic = (user: string, key: string) => `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;

  test.each<[string, Record<string, string>]>([
    ['a wrong key', { 'X-API-Key': wrongKey }],
    ['a wrong bearer', { Authorization: `Bearer ${wrongKey}` }],
    ['Basic of another community', { Authorization: basic('nobody', apiKey) }],
    ['Basic with a wrong key', { Authorization: basic(demo, wrongKey) }],
  ])('%s', async (_title, headers) => {
    expectProblem(await claim({ signature: undefined }, headers), 401, 'InvalidApiKey');
  });

  test('two at once are refused', async () => {
    const headers = { ...withKey, Authorization: `Bearer ${apiKey}` };
    expectProblem(await claim({ signature: undefined }, headers), 400, 'InvalidRequest');
  });

  test.skipIf(operatorOnly.isSkipped)(
    `the key of another community is refused${operatorOnly.title}`,
    async () => {
      const { uniqId } = await createCommunity();
      const other = { 'X-API-Key': (await createApiKey(uniqId)).apiKey };
      const contributors = [newAddress()];
      const admin = { receivingAddress: claimingAddress, adminAddress: claimingAddress };
      const signed = { adminSignature: signature, receiverSignature: signature };
      for (const [verb, body] of [
        ['claim', { claimingAddress }],
        ['claim', { claimingAddress, signature: '0x' }],
        ['addContributors', { contributors, signature: '0x' }],
        ['airdrop', { address: claimingAddress }],
        ['communityAdminAirdrop', { ...admin, ...signed }],
        ['communityAdminAirdropWithoutConsentSig', { ...admin, ...signed }],
      ] as const) {
        expectProblem(await postTo(tokenId, verb, body, other), 403, 'ApiKeyNotAllowed');
        expectProblem(await postTo(unknownTokenId, verb, body, other), 404, 'TokenNotFound');
      }
      const answer = await call(`/v1/tokens/${tokenId}/contributors`, { headers: other });
      expectProblem(answer, 403, 'ApiKeyNotAllowed');
    },
  );

  test.skipIf(operatorOnly.isSkipped)(`the operator's key claims${operatorOnly.title}`, async () => {
    const headers = { 'X-API-Key': inject('adminKey') ?? '' };
    await expectDone(tokenId, postTo(tokenId, 'claim', { claimingAddress: newAddress() }, headers));
  });
});

describe('the order of checks', () => {
  test('key, body, token, signature, state', async () => {
    const expired = await openToken({ expirationTimestamp: 1 });
    const post = (id: number, fields: object, headers = {}) =>
      postTo(id, 'claim', { claimingAddress, ...fields }, headers);
    const wrongBody = { claimingAddress: 'x', signature: '0x' };
    expectProblem(await post(unknownTokenId, wrongBody, { 'X-API-Key': 'wrong' }), 401, 'InvalidApiKey');
    expectPointers(await post(unknownTokenId, wrongBody, withKey), ['/claimingAddress']);
    expectProblem(await post(unknownTokenId, { signature: '0x' }, withKey), 404, 'TokenNotFound');
    expectProblem(await post(expired, { signature: '0x' }), 400, 'InvalidSignature');
    expectProblem(await post(expired, { signature }), 403, 'NotSignedByClaimer');
    expectProblem(await post(expired, {}), 401, 'ApiKeyOrSignatureRequired');
    expectProblem(await claimWithKey(expired, claimingAddress), 409, 'TokenClaimExpired');
  });
});

test('a claim by another method is refused', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await call(`/v1/tokens/${tokenId}/claim`, {
      method,
      headers: asJson,
      isUndocumented: true,
    });
    expectProblem(answer, 405, 'MethodNotAllowed');
    expect(answer.headers.get('allow')).toBe('POST');
  }
});

test('nothing that was refused has taken a place', async () => {
  const untouched = await openToken({ totalClaimCount: 1 });
  const body = { claimingAddress, signature };
  expectProblem(await postTo(untouched, 'claim', body), 403, 'NotSignedByClaimer');
  expectProblem(await postTo(untouched, 'claim', { claimingAddress }), 401, 'ApiKeyOrSignatureRequired');
  expect(await remainingOf(untouched)).toBe(1);
  await expectDone(untouched, claimWithKey(untouched, claimingAddress));
});
