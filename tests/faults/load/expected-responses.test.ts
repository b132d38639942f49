import { expect, test } from 'vitest';
import { compareResponse, type ExpectedToken, type View } from './expected-responses.ts';

const WALLET = `0x${'aD'.repeat(20)}`;

const EXPECTED: ExpectedToken = {
  tokenId: 7,
  communityId: 'hikers',
  communityName: { value: 'Hikers' },
  isListed: { value: true },
  remainingAtMost: 5,
  wallet: WALLET,
  isHeld: { value: true },
};

const tokenWith = (tokenId: number, remainingClaimCount = 5) => ({
  tokenId,
  claimabilityAttributes: { remainingClaimCount },
});
const pageOf = (...tokenIds: number[]) => ({ data: tokenIds.map((tokenId) => tokenWith(tokenId)) });
const numbersFrom = (first: number) => Array.from({ length: 100 }, (_, index) => first + index);

/**
 * Compares a response with `EXPECTED`, or with other values expected at the request (`before`) and the
 * response (`after`).
 */
const compare = (
  view: View,
  body: unknown,
  { before = EXPECTED, after = EXPECTED, status = 200 } = {},
): boolean[] => compareResponse(view, { status, body }, { before, after }).map(({ isCurrent }) => isCurrent);

test.each<[string, View, unknown]>([
  ['a token after all known claims', 'token', tokenWith(7)],
  ['a token after further claims', 'token', tokenWith(7, 3)],
  ['metadata', 'metadata', { properties: { tokenId: 7 } }],
  ['owners with the wallet', 'owners', { data: [{ address: WALLET }] }],
  ['an owner that holds the token', 'owner', { status: 'held' }],
  ['a credential of a wallet that holds the token', 'credential', { issuer: { name: 'Hikers' } }],
  ['a check of owners with the token', 'checkedOwners', { items: [{ address: WALLET, tokenIds: [7] }] }],
  ["a wallet's tokens with the token", 'walletTokens', { data: [{ badgeTokenId: 7 }] }],
  ['a community with its new name', 'community', { name: 'Hikers' }],
  ['a page with the token', 'tokenPage', pageOf(6, 7, 8)],
])('%s is current', (_title, view, body) => {
  const comparisons = compare(view, body);
  expect(comparisons.length).toBeGreaterThan(0);
  expect(comparisons).not.toContain(false);
});

test.each<[string, View, unknown]>([
  ['a token as it was before its last claim', 'token', tokenWith(7, 6)],
  ['metadata of another token', 'metadata', { properties: { tokenId: 8 } }],
  ['owners without the wallet', 'owners', { data: [] }],
  ['an owner whose token was revoked', 'owner', { status: 'revoked' }],
  ['an error instead of a credential', 'credential', { error: 'CredentialRevoked' }],
  ['a credential with the former name of the community', 'credential', { issuer: { name: 'Walkers' } }],
  ['a check of owners without the token', 'checkedOwners', { items: [{ address: WALLET, tokenIds: [] }] }],
  ["a wallet's tokens without the token", 'walletTokens', { data: [] }],
  ['a community with its former name', 'community', { name: 'Walkers' }],
  ['a page without the token', 'communityTokens', pageOf(6, 8)],
  ['a page that shows the token as it was before its last claim', 'tokenPage', { data: [tokenWith(7, 6)] }],
  [
    'a full page with an older token, but without the token',
    'newestTokens',
    pageOf(6, ...numbersFrom(8).slice(1)),
  ],
])('%s is not current', (_title, view, body) => {
  expect(compare(view, body)).toContain(false);
});

test('if the token is hidden, only a page without it is current', () => {
  const hidden = { ...EXPECTED, isListed: { value: false } };
  const expected = { before: hidden, after: hidden };
  expect(compare('tokenPage', pageOf(7), expected)).toContain(false);
  expect(compare('tokenPage', pageOf(6), expected)).toEqual([true]);
});

test('owners with a wallet that has burned the token are not current', () => {
  const burned = { ...EXPECTED, isHeld: { value: false } };
  const expected = { before: burned, after: burned };
  expect(compare('owners', { data: [{ address: WALLET }] }, expected)).toEqual([false]);
});

test('a credential of a wallet that has burned the token is not current', () => {
  const burned = { ...EXPECTED, isHeld: { value: false } };
  const expected = { before: burned, after: burned };
  expect(compare('credential', { issuer: { name: 'Hikers' } }, expected)).toEqual([false, true]);
  expect(compare('credential', { error: 'CredentialRevoked' }, expected)).toEqual([true]);
});

test('an error is not current', () => {
  expect(compare('token', {}, { status: 404 })).toEqual([false]);
});

test('what changes between a request and its response is not compared', () => {
  const changing: ExpectedToken = { ...EXPECTED, isListed: null, isHeld: null, communityName: null };
  // An equal value in a new object: it was changed, and changed back.
  const changedBack = { ...EXPECTED, isListed: { value: true } };
  expect(compare('owners', { data: [] }, { after: changing })).toEqual([]);
  expect(compare('walletTokens', { data: [] }, { before: changing })).toEqual([]);
  expect(compare('community', { name: 'Walkers' }, { after: changing })).toEqual([]);
  expect(compare('tokenPage', pageOf(6), { after: changing })).toEqual([]);
  expect(compare('tokenPage', pageOf(6), { after: changedBack })).toEqual([]);
});

test('a full page of newer tokens says nothing about the token', () => {
  expect(compare('newestTokens', pageOf(...numbersFrom(8)))).toEqual([]);
});
