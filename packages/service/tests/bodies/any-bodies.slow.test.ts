import { EIP712_TYPES } from '@badge/protocol';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const wallet = newWallet();
let service: TestService;
let tokenId: number;

beforeAll(async () => {
  service = await startTestService();
  const response = await service.call('/v1/tokens', { json: await signedToken(), key: service.apiKey });
  const operation = await service.call(`${response.headers.get('location')}?wait=30`);
  tokenId = ((await operation.json()) as { resourceId: number }).resourceId;
});
afterAll(async () => await service.stop());

async function send(path: string, body: string | Buffer<ArrayBuffer>, method = 'POST') {
  const headers = { 'Content-Type': 'application/json' };
  const response = await service.call(path, { method, body, headers, key: service.adminKey });
  return { status: response.status, name: ((await response.json()) as { name?: string }).name };
}

async function countOperations(): Promise<number> {
  const rows = await query<{ count: number }>(
    service.databaseUrl,
    'select count(*)::integer from operations',
  );
  return rows[0]?.count ?? 0;
}

const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const anyTimestamp = fc.nat({ max: 4_000_000_000 });
const anyTokenFields = fc
  .record({
    headline: anyText,
    description: anyText,
    startDateTimestamp: anyTimestamp,
    expirationTimestamp: anyTimestamp,
    claimableFromTimestamp: anyTimestamp,
    links: fc.array(anyText, { minLength: 1, maxLength: 3 }),
    isSignatureRequired: fc.boolean(),
    totalClaimCount: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  })
  .map((fields) => ({ ...fields, endDateTimestamp: fields.startDateTimestamp + 1 }));

const SIGNED_FIELDS = EIP712_TYPES.Badge.map(({ name }) =>
  name === 'communityUniqId' ? 'communityId' : name,
);

/** Whether a text is JSON of this value. */
function isSameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/**
 * Returns the bytes of a body with one bit of a field's JSON flipped, or null if the field keeps its value.
 * The random number `bit` chooses the bit.
 */
function flipBit(body: Record<string, unknown>, { field, bit }: { field: string; bit: number }) {
  // The JSON before and after the field.
  const [before = '', after = ''] = JSON.stringify({ ...body, [field]: '@' }).split(`"${field}":"@"`);
  const value = Buffer.from(JSON.stringify(body[field]));
  const position = (bit >> 3) % value.length;
  value.writeUInt8(value.readUInt8(position) ^ (1 << (bit & 7)), position);
  if (isSameJson(value.toString(), body[field])) return null;
  return Buffer.concat([Buffer.from(`${before}"${field}":`), value, Buffer.from(after)]);
}

test('a request to create a token is rejected and creates no operation if one bit of a signed field is flipped', {
  timeout: 120_000,
}, async () => {
  const anyFlip = fc.record({ field: fc.constantFrom(...SIGNED_FIELDS), bit: fc.nat({ max: 2 ** 12 }) });
  const before = await countOperations();
  const names = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(anyTokenFields, anyFlip, async (fields, flip) => {
      const flipped = flipBit(await signedToken(fields, wallet), flip);
      fc.pre(flipped !== null);
      const { status, name } = await send('/v1/tokens', flipped);
      expect([400, 403, 404]).toContain(status);
      names.add(name);
    }),
    { numRuns: 300 },
  );
  expect([...names]).toEqual(
    expect.arrayContaining(['InvalidRequest', 'BadgeRegisterRequestNotSignedByCreator']),
  );
  expect(await countOperations()).toBe(before);
});

test('a request to create a token is rejected and creates no operation if one bit of its signature is flipped', {
  timeout: 120_000,
}, async () => {
  const before = await countOperations();
  await fc.assert(
    fc.asyncProperty(anyTokenFields, fc.nat({ max: 65 * 8 - 1 }), async (fields, bit) => {
      const body = await signedToken(fields, wallet);
      const signature = Buffer.from(body.signature.slice(2), 'hex');
      signature.writeUInt8(signature.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const { name } = await send(
        '/v1/tokens',
        JSON.stringify({ ...body, signature: `0x${signature.toString('hex')}` }),
      );
      expect(['InvalidSignature', 'BadgeRegisterRequestNotSignedByCreator']).toContain(name);
    }),
    { numRuns: 200 },
  );
  expect(await countOperations()).toBe(before);
});

const CALLS: [method: string, path: string, fields: string[]][] = [
  [
    'POST',
    '/v1/tokens',
    [...SIGNED_FIELDS, 'creator', 'nftTypeId', 'contributors', 'customAttributes', 'signature'],
  ],
  ['PATCH', '/v1/tokens/1', ['isHidden']],
  ['POST', '/v1/tokens/1/claim', ['claimingAddress', 'signature', 'identifier', 'claimCode']],
  ['POST', '/v1/tokens/1/claimLinks', ['identifiers', 'count', 'signature', 'expiresAtTimestamp']],
  ['POST', '/v1/tokens/1/checkClaimCode', ['claimCode']],
  ['POST', '/v1/checkOwners', ['addresses', 'tokenIds']],
  ['POST', '/v1/ensNames', ['addresses']],
  ['POST', '/v1/tokens/1/snapshotScores', ['addresses']],
  ['POST', '/v1/tokens/1/burn', ['burningAddress', 'signature']],
  ['POST', '/v1/tokens/1/addContributors', ['contributors', 'signature']],
  ['POST', '/v1/tokens/1/removeContributors', ['contributors']],
  ['POST', `/v1/tokens/1/owners/0x${'ab'.repeat(20)}/revoke`, ['reason']],
  ['POST', `/v1/tokens/1/owners/0x${'ab'.repeat(20)}/reinstate`, ['reason']],
  ['POST', `/v1/tokens/1/owners/0x${'ab'.repeat(20)}/move`, ['toAddress', 'reason']],
  ['POST', '/v1/tokens/1/renew', ['addresses', 'validUntilTimestamp']],
  ['POST', '/v1/tokens/1/replace', ['replacementTokenId']],
  ['POST', '/v1/tokens/1/airdrop', ['address']],
  [
    'POST',
    '/v1/tokens/1/communityAdminAirdrop',
    ['receivingAddress', 'adminAddress', 'adminSignature', 'receiverSignature'],
  ],
  [
    'POST',
    '/v1/tokens/1/communityAdminAirdropWithoutConsentSig',
    ['receivingAddress', 'adminAddress', 'adminSignature'],
  ],
  ['POST', '/v1/communities', ['uniqId', 'displayId', 'name', 'description', 'logoUrl', 'adminAddresses']],
  ['PATCH', '/v1/communities/demo', ['displayId', 'name', 'description', 'logoUrl', 'adminAddresses']],
  ['POST', '/v1/communities/demo/apiKeys', ['name', 'expiresAtTimestamp']],
  ['POST', '/sandbox-chain', ['id', 'method']],
];
const address = wallet.address;
const anyValue = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.constantFrom(
    address,
    address.toLowerCase(),
    [address],
    `0x${'11'.repeat(65)}`,
    true,
    false,
    1,
    'demo',
    'ada',
  ),
  fc.array(fc.dictionary(fc.constantFrom('fieldName', 'type', 'value'), fc.jsonValue())),
);

test('no JSON body causes an internal error', {
  timeout: 120_000,
}, async () => {
  // The paths in CALLS contain this id.
  expect(tokenId).toBe(1);
  const anyCall = fc.constantFrom(...CALLS).chain(([method, path, fields]) => {
    const anyObject = fc.dictionary(fc.constantFrom(...fields), anyValue, {
      size: 'max',
      maxKeys: fields.length,
    });
    return fc.tuple(fc.constant(method), fc.constant(path), fc.oneof(anyObject, fc.jsonValue()));
  });
  await fc.assert(
    fc.asyncProperty(anyCall, async ([method, path, body]) => {
      expect((await send(path, JSON.stringify(body), method)).status).toBeLessThan(500);
    }),
    { numRuns: 500 },
  );
});
