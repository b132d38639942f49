import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { ENCODINGS } from './claim-requests.ts';
import { createToken, expectAccepted, expectSuccess, requestToken, walkTokens } from './client.ts';
import type { Body, Token } from './shapes.ts';
import { allowlistedRequest, openRequest, signToken } from './token-requests.ts';

const locationOf = async (body: Body) => expectAccepted(await requestToken(body));
const tokensOf = async (creator: string): Promise<Token[]> =>
  (await walkTokens()).filter(({ createdByAddress }) => createdByAddress === creator);

test('200 concurrent requests that differ only in the encoding of the signature create one token', async () => {
  const creator = newWallet();
  const request = await openRequest({}, creator);
  const signatures = ENCODINGS.map(([, encode]) => encode(String(request.signature)));
  const bodies = Array.from({ length: 200 }, (_, index) => ({
    ...request,
    signature: signatures[index % signatures.length],
  }));
  const responses = await Promise.all(bodies.map((body) => requestToken(body)));
  const [location = '', ...others] = new Set(responses.map(expectAccepted));
  expect(responses.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  expect(others).toEqual([]);
  const tokenId = await expectSuccess(location);
  expect((await tokensOf(creator.address)).map((token) => token.tokenId)).toEqual([tokenId]);
});

test('200 different bodies sent concurrently create 200 tokens', async () => {
  const creator = newWallet();
  const requests = await Promise.all(Array.from({ length: 200 }, () => openRequest({}, creator)));
  const locations = await Promise.all(requests.map(locationOf));
  const tokenIds = await Promise.all(locations.map((location) => expectSuccess(location)));
  expect(new Set(tokenIds).size).toBe(200);
  const headlines = (await tokensOf(creator.address)).map(({ headline }) => headline);
  expect(headlines.sort()).toEqual(requests.map(({ headline }) => headline).sort());
});

test('the same request without an Idempotency-Key returns the same operation, even after it has completed', async () => {
  const creator = newWallet();
  const request = await openRequest({}, creator);
  const location = await locationOf(request);
  expect(await locationOf(request)).toBe(location);
  await expectSuccess(location);
  expect(await locationOf(request)).toBe(location);
  expect(await locationOf({ ...request, creator: creator.address.toLowerCase() })).toBe(location);
  expect(await locationOf({ ...request, unknownField: 'ignored' })).toBe(location);
});

const attribute = { fieldName: 'day', type: 'string', value: '2024-05-01' };

test.each([
  ['nftTypeId', { nftTypeId: 'defaultGreenPurple' }],
  ['contributors', { contributors: [newAddress(), newAddress()] }],
  ['the number of attributes', { customAttributes: [] }],
  ['the value of an attribute', { customAttributes: [{ ...attribute, value: '2024-05-02' }] }],
  ['the type of an attribute', { customAttributes: [{ ...attribute, type: 'date' }] }],
])(
  'a request that differs only in %s, with the same signature, creates another token',
  async (_title, changes) => {
    const creator = newWallet();
    const request = await allowlistedRequest({ customAttributes: [attribute] }, creator);
    const first = await createToken(request);
    const second = await createToken({ ...request, ...changes });
    expect(second.tokenId).not.toBe(first.tokenId);
    expect(await tokensOf(creator.address)).toEqual([first, second]);
  },
);

test('the same request from another creator creates another token', async () => {
  const [one, two] = [newWallet(), newWallet()];
  const request = await openRequest({}, one);
  const other = { ...request, creator: two.address, signature: await signToken(two, request) };
  expect(await locationOf(other)).not.toBe(await locationOf(request));
});
