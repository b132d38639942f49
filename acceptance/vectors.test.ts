import { describe, expect, inject, test } from 'vitest';
import { call, expectAccepted, expectSuccess, parse, requestToken, walkTokens } from './client.ts';
import { expectProblem } from './problems.ts';
import type { Token } from './shapes.ts';
import { expectedToken, openRequest } from './token-requests.ts';
import { domains, vectors } from './vectors.ts';

const { environment, eip712 } = inject('environment');
const own = vectors.filter((vector) => vector.environment === environment);
const malformed = new Set(['highS', 'zero', 'truncated', 'halfByte', 'badV', 'notHex']);
const byAnother = ['communityIdName', 'otherEnvironment', 'otherSigner', 'withVersion'];
const hasOwnContract =
  environment === 'production' &&
  eip712.domain.verifyingContract.toLowerCase() !== domains.production?.verifyingContract.toLowerCase();

describe.skipIf(hasOwnContract)(`the ${environment} vectors`, () => {
  test('are twenty, each with the ten variants that must be refused', () => {
    expect(own).toHaveLength(20);
    for (const { mustReject } of own) {
      expect(Object.keys(mustReject).sort()).toEqual([...byAnother, ...malformed].sort());
    }
  });

  test.each(own)('$name: accepted, done in 2 s, read back to the byte', async ({ request }) => {
    const location = expectAccepted(await requestToken(request));
    const tokenId = await expectSuccess(location, 2);
    const answer = await call(`/v1/tokens/${tokenId}`);
    expect(parse<Token>(answer)).toStrictEqual(expectedToken(request, tokenId));
  });

  test.each(own)('$name: another encoding of the signature is the same request', async (vector) => {
    const location = expectAccepted(await requestToken(vector.request));
    for (const [variant, signature] of Object.entries(vector.alsoValid)) {
      const again = expectAccepted(await requestToken({ ...vector.request, signature }));
      expect(again, variant).toBe(location);
    }
  });

  test.each(own)('$name: wrong signatures are refused', async ({ request, mustReject }) => {
    for (const [variant, signature] of Object.entries(mustReject)) {
      const answer = await requestToken({ ...request, signature });
      if (malformed.has(variant)) expectProblem(answer, 400, 'InvalidSignature');
      else expectProblem(answer, 403, 'BadgeRegisterRequestNotSignedByCreator');
    }
  });

  test('leave one token each, whatever was refused', async () => {
    for (const { request, mustReject, alsoValid } of own) {
      await expectSuccess(expectAccepted(await requestToken(request)));
      const signatures = [...Object.values(mustReject), ...Object.values(alsoValid)];
      await Promise.all(signatures.map((signature) => requestToken({ ...request, signature })));
    }
    await expectSuccess(expectAccepted(await requestToken(await openRequest())));
    const creators = (await walkTokens()).map(({ createdByAddress }) => createdByAddress);
    const counts = own.map(({ request }) => creators.filter((creator) => creator === request.creator).length);
    expect(counts).toEqual(own.map(() => 1));
  });
});
