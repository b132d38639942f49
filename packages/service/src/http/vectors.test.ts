import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../testing/databases.ts';
import { startTestService, type TestService } from '../testing/services.ts';

interface Vector {
  name: string;
  environment: 'sandbox' | 'production';
  request: Record<string, unknown> & { signature: string };
  alsoValid: Record<string, string>;
  mustReject: Record<string, string>;
}

const { vectors } = JSON.parse(
  await readFile(new URL('../../../../vectors/typed-data.json', import.meta.url), 'utf8'),
) as { vectors: Vector[] };

describe.each(['sandbox', 'production'] as const)('the %s vectors', (environment) => {
  let service: TestService;
  const ofEnvironment = vectors.filter((vector) => vector.environment === environment);

  beforeAll(async () => {
    service = await startTestService(
      environment === 'production'
        ? {
            BADGE_ENVIRONMENT: 'production',
            BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
          }
        : {},
    );
    await query(
      service.databaseUrl,
      `insert into communities (community_id, display_id, name, description) values ('demo', 'demo', 'Demo', '')
       on conflict do nothing`,
    );
  });
  afterAll(async () => await service.stop());

  const post = (json: unknown) => service.call('/v1/tokens', { json, key: service.adminKey });

  test('there are 20', () => {
    expect(ofEnvironment).toHaveLength(20);
  });

  test.each(ofEnvironment.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const countTokens = async () => (await query(service.databaseUrl, 'select from tokens')).length;
    const before = await countTokens();
    for (const [variant, signature] of Object.entries(vector.mustReject)) {
      const answer = await post({ ...vector.request, signature });
      expect([400, 403], variant).toContain(answer.status);
      expect(answer.headers.get('content-type'), variant).toMatch('application/problem+json');
    }
    expect(await query(service.databaseUrl, "select from operations where status = 'pending'")).toEqual([]);
    expect(await countTokens()).toBe(before);

    const accepted = await post(vector.request);
    expect(accepted.status).toBe(202);
    const location = accepted.headers.get('location') ?? '';
    for (const [variant, signature] of Object.entries(vector.alsoValid)) {
      const again = await post({ ...vector.request, signature });
      expect(again.headers.get('location'), variant).toBe(location);
    }
    const operation = (await (await service.call(`${location}?wait=20`)).json()) as Record<string, unknown>;
    expect(operation).toMatchObject({ status: 'success', error: null });
    expect(await countTokens()).toBe(before + 1);

    const token = (await (await service.call(`/v1/tokens/${operation.resourceId}`)).json()) as Record<
      string,
      unknown
    >;
    const { request } = vector;
    expect(token).toMatchObject({
      headline: request.headline,
      description: request.description ?? '',
      startDateTimestamp: request.startDateTimestamp || null,
      endDateTimestamp: request.endDateTimestamp || null,
      links: request.links ?? [],
      communityId: request.communityId,
      nftTypeId: request.nftTypeId,
      createdByAddress: request.creator,
      customAttributes: request.customAttributes ?? [],
      claimabilityAttributes: {
        isSignatureRequired: request.isSignatureRequired,
        isAllowlistRequired: request.isAllowlistRequired,
        totalClaimCount: request.totalClaimCount ?? null,
        remainingClaimCount: request.totalClaimCount ?? null,
        expirationTimestamp: request.expirationTimestamp || null,
      },
    });
  });
});
