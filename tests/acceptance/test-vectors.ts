import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  asJson,
  call,
  demoCommunityId,
  expectAccepted,
  expectSuccess,
  parseOk,
  walkTokens,
  withDemoKey,
} from './client.ts';
import { parseCreated } from './operator.ts';
import { expectProblem } from './problems.ts';
import { startService } from './service-under-test.ts';
import type { Body, CommunityWithAdmins, Token } from './shapes.ts';
import { expectedToken } from './token-requests.ts';
import { domains, vectors } from './vectors.ts';

// The names of the signatures in `mustReject`. Those in `malformed` cause InvalidSignature, the others
// BadgeRegisterRequestNotSignedByCreator.
export const malformed = ['badV', 'halfByte', 'highS', 'notHex', 'truncated', 'zero'];
export const notByCreator = ['communityIdName', 'otherEnvironment', 'otherSigner', 'withVersion'];

interface Target {
  baseUrl: string;
  headers: Record<string, string>;
  stop: () => Promise<void>;
}

/** Starts a production service with the vectors' domain and a community `demo`. */
async function startProduction(): Promise<Target> {
  const { baseUrl, adminKey, stop } = await startService({
    BADGE_ENVIRONMENT: 'production',
    // A database belongs to one environment, so this service uses an embedded database of its own.
    DATABASE_URL: '',
    BADGE_VERIFYING_CONTRACT: domains.production?.verifyingContract,
    BADGE_RATE_LIMIT: 'off',
  });
  const headers = { ...asJson, 'X-API-Key': adminKey };
  const body = JSON.stringify({ uniqId: demoCommunityId, displayId: demoCommunityId, name: 'Demo' });
  parseCreated<CommunityWithAdmins>(
    await call(`${baseUrl}/v1/communities`, { method: 'POST', headers, body }),
  );
  return { baseUrl, headers, stop };
}

const testedEnvironment = inject('environment');
/** Returns true if the service under test has the environment and the contract of these vectors. */
const isServiceOf = (environment: string) =>
  testedEnvironment.environment === environment &&
  testedEnvironment.eip712.domain.verifyingContract.toLowerCase() ===
    domains[environment]?.verifyingContract.toLowerCase();
const mayStartService = process.env.BADGE_BASE_URL === undefined;

/** Tests that a service of the environment accepts the signatures of its vectors, and rejects the others. */
export function testVectors(environment: string): void {
  const ownVectors = vectors.filter((vector) => vector.environment === environment);
  const isSkipped = !isServiceOf(environment) && !mayStartService;
  describe.skipIf(isSkipped)(`the vectors of the ${environment} environment`, () => {
    let target: Target;
    // An earlier run on the same service may have created tokens of the same creators.
    let idsBefore: Set<number>;
    const tokenIds: number[] = [];
    beforeAll(async () => {
      target = isServiceOf(environment)
        ? { baseUrl: inject('baseUrl'), headers: { ...asJson, ...withDemoKey }, stop: async () => undefined }
        : await startProduction();
      idsBefore = new Set((await walkTokens(target.baseUrl)).map(({ tokenId }) => tokenId));
    }, 120_000);
    afterAll(async () => await target.stop());

    const post = (body: Body) =>
      call(`${target.baseUrl}/v1/tokens`, {
        method: 'POST',
        headers: target.headers,
        body: JSON.stringify(body),
      });

    test.each(ownVectors)('$name', async ({ request, alsoValid, mustReject }) => {
      for (const [variant, signature] of Object.entries(mustReject)) {
        const response = await post({ ...request, signature });
        if (malformed.includes(variant)) expectProblem(response, 400, 'InvalidSignature');
        else expectProblem(response, 403, 'BadgeRegisterRequestNotSignedByCreator');
      }

      const location = expectAccepted(await post(request));
      for (const [variant, signature] of Object.entries(alsoValid)) {
        expect(expectAccepted(await post({ ...request, signature })), variant).toBe(location);
      }
      const tokenId = await expectSuccess(target.baseUrl + location);
      tokenIds.push(tokenId);
      const token = parseOk<Token>(await call(`${target.baseUrl}/v1/tokens/${tokenId}`));
      expect(token).toStrictEqual(expectedToken(request, tokenId));
    });

    test('create one token each, although other signatures were sent too', async () => {
      expect(new Set(tokenIds).size).toBe(ownVectors.length);
      const creators = new Set(ownVectors.map(({ request }) => request.creator));
      const created = (await walkTokens(target.baseUrl)).filter(
        ({ tokenId, createdByAddress }) => creators.has(createdByAddress) && !idsBefore.has(tokenId),
      );
      // A run within a minute of an earlier one gets the tokens of that run.
      expect(created.map(({ tokenId }) => tokenId)).toEqual(tokenIds.filter((id) => !idsBefore.has(id)));
    });
  });
}
