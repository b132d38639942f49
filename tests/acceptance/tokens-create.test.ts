import { newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { withWrongChecksum } from './claim-requests.ts';
import { createToken, expectAccepted, requestToken } from './client.ts';
import { expectProblem } from './problems.ts';
import type { Body } from './shapes.ts';
import { expectedToken, openRequest, signToken } from './token-requests.ts';

const hourMs = 3_600_000;
const latestTimestamp = 8_640_000_000_000_000;

const accepted: [string, Body][] = [
  ['a headline of 1 character', { headline: 'H' }],
  ['a headline of 1,000 characters', { headline: 'h'.repeat(1000) }],
  ['a headline of spaces', { headline: '   ' }],
  ['an empty description', { description: '' }],
  [
    'text that looks like markup and SQL',
    { headline: `<b>'; drop table tokens; --`, description: '\\u0000 %00' },
  ],
  ['control and direction characters', { headline: '\u0001\u001f\u007f\u202e', description: '\ufeff\r\n' }],
  ['50 links', { links: Array.from({ length: 50 }, (_, index) => `https://example.com/${index}`) }],
  ['31 links of 2,048 characters', { links: Array.from({ length: 31 }, () => 'l'.repeat(2048)) }],
  ['links that are not URLs, or are repeated', { links: ['', 'no url', 'no url', 'javascript:0'] }],
  ['a start before the end', { startDateTimestamp: 1, endDateTimestamp: 2 }],
  ['a start equal to the end', { startDateTimestamp: hourMs, endDateTimestamp: hourMs }],
  ['a start without an end', { startDateTimestamp: latestTimestamp, endDateTimestamp: 0 }],
  ['an end without a start', { endDateTimestamp: 1 }],
  [
    'the latest possible timestamps',
    { startDateTimestamp: latestTimestamp, endDateTimestamp: latestTimestamp },
  ],
  ['an expiration long ago', { expirationTimestamp: 1 }],
  ['the latest possible expiration', { expirationTimestamp: latestTimestamp }],
  ['one claim', { totalClaimCount: 1 }],
  ['the largest safe number of claims', { totalClaimCount: Number.MAX_SAFE_INTEGER }],
  ['a required claim signature', { isSignatureRequired: true }],
];

test.each(accepted)('%s is accepted and returned as sent', async (_title, changes) => {
  const creator = newWallet();
  const request = await openRequest(changes, creator);
  const sentTimestamp = Date.now();
  const token = await createToken(request);
  expect(token).toStrictEqual(expectedToken(request, token.tokenId));
  expect(Math.abs(token.createdAtTimestamp - sentTimestamp)).toBeLessThan(60_000);
  expect(Number.isSafeInteger(token.createdAtTimestamp)).toBe(true);
});

const nulls: Body = {
  description: null,
  startDateTimestamp: null,
  endDateTimestamp: null,
  links: null,
  contributors: null,
  expirationTimestamp: null,
  customAttributes: null,
};

test.each([
  ['null', nulls],
  ['0', { startDateTimestamp: 0, endDateTimestamp: 0, expirationTimestamp: 0 }],
  ['empty', { description: '', links: [], customAttributes: [] }],
])('an optional field that is %s counts as absent', async (_title, changes) => {
  const request = await openRequest();
  const token = await createToken({ ...request, ...changes });
  expect(token).toStrictEqual(expectedToken(request, token.tokenId));
  const first = expectAccepted(await requestToken(request));
  expect(expectAccepted(await requestToken({ ...request, ...changes }))).toBe(first);
});

test.each(['lower', 'upper', 'mixed'] as const)(
  'a creator in %s case is stored with its checksum',
  async (letters) => {
    const creator = newWallet();
    const request = await openRequest({}, creator);
    const { address } = creator;
    const written = {
      lower: address.toLowerCase(),
      upper: `0x${address.slice(2).toUpperCase()}`,
      mixed: withWrongChecksum(address),
    }[letters];
    const token = await createToken({ ...request, creator: written });
    expect(token.createdByAddress).toBe(creator.address);
  },
);

test('unknown fields are ignored, whatever their names', async () => {
  const request = await openRequest();
  const extra = {
    version: '1',
    isHidden: true,
    tokenId: 7,
    createdByAddress: null,
    hasOwnProperty: 1,
    toString: [],
  };
  const token = await createToken({ ...request, ...extra });
  expect(token).toStrictEqual(expectedToken(request, token.tokenId));
});

test('a signature of NFC text is not valid for NFD text', async () => {
  const creator = newWallet();
  const request = await openRequest({ headline: 'caf\u00e9' }, creator);
  const response = await requestToken({ ...request, headline: 'cafe\u0301' });
  expectProblem(response, 403, 'BadgeRegisterRequestNotSignedByCreator');
  // The signature is right for the NFC text.
  expect(await signToken(creator, request)).toBe(request.signature);
});
