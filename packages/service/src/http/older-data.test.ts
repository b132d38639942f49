import { createHash } from 'node:crypto';
import type { Operation, Token } from '@badge/protocol';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

// The tests store data as earlier releases did. Earlier releases accepted some tokens that are rejected now, and normalised
// e-mails with `toLowerCase` alone.
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

async function requestAndWait(path: string, json: unknown): Promise<Operation> {
  const response = await service.call(path, { json, key: service.apiKey });
  expect(response.status, await response.clone().text()).toBe(202);
  return (await (await service.call(`${response.headers.get('location')}?wait=20`)).json()) as Operation;
}

async function createToken(fields: Record<string, unknown>): Promise<number> {
  return Number((await requestAndWait('/v1/tokens', await signedToken(fields))).resourceId);
}

test.each([
  ['an e-mail with a sigma that is not final', 'νικοσ@x.gr', 'νικοσ@X.GR'],
  ['an e-mail with a final sigma', 'νικος@x.gr', 'ΝΙΚΟΣ@x.gr'],
  ['an e-mail with a long s', 'ſ@x.org', 'ſ@x.org'],
  ['an e-mail with a dotted I', 'i\u0307@x.tr', 'İ@x.tr'],
  ['40 hex digits', 'ab'.repeat(20), 'ab'.repeat(20)],
])(
  'an allowlist entry that is %s can be used for one claim only',
  async (_title, storedIdentifier, identifier) => {
    const tokenId = await createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: ['ada'],
    });
    await query(
      service.databaseUrl,
      'update allowlist_entries set contributor_key = $1, identifier = $2 where token_id = $3',
      [createHash('sha256').update(storedIdentifier).digest(), storedIdentifier, tokenId],
    );
    const path = `/v1/tokens/${tokenId}/claim`;
    expect(await requestAndWait(path, { claimingAddress: newAddress(), identifier })).toMatchObject({
      status: 'success',
    });
    const secondClaim = { claimingAddress: newAddress(), identifier };
    const response = await service.call(path, { json: secondClaim, key: service.apiKey });
    expect(await response.json()).toMatchObject({ name: 'ClaimingAddressAlreadyHasToken' });
  },
);

test('a token that is larger than allowed now and has a reserved attribute name can be read and claimed', async () => {
  const tokenId = await createToken({});
  const links = Array<string>(50).fill('l'.repeat(2_048));
  const customAttributes = [{ fieldName: 'claimStatus', type: 'string', value: 'open' }];
  await query(
    service.databaseUrl,
    'update tokens set links = $1, custom_attributes = $2 where token_id = $3',
    [JSON.stringify(links), JSON.stringify(customAttributes), tokenId],
  );
  const token = (await (await service.call(`/v1/tokens/${tokenId}`)).json()) as Token;
  expect(token).toMatchObject({ links, customAttributes });
  const list = await service.call('/v1/communities/demo/tokens?claimStatus=open');
  expect(await list.json()).toMatchObject({ data: [{ tokenId, customAttributes }] });
  expect((await service.call(`/metadata/${tokenId}`)).status).toBe(200);
  const claim = { claimingAddress: newAddress() };
  expect(await requestAndWait(`/v1/tokens/${tokenId}/claim`, claim)).toMatchObject({ status: 'success' });
});
