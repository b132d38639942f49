import { newAddress } from '@badge/test-support/signing';
import { hexlify, randomBytes } from 'ethers';
import { describe, expect, test } from 'vitest';
import { withWrongChecksum } from './claim-requests.ts';
import { createToken, expectAccepted, expectSuccess, read, requestToken } from './client.ts';
import type { Body, Page, WalletToken } from './shapes.ts';
import { allowlistedRequest, expectedToken, openRequest } from './token-requests.ts';

const address = newAddress();
const lower = address.toLowerCase();
const upper = `0x${lower.slice(2).toUpperCase()}`;

const walletOf = (owner: string) => read<Page<WalletToken>>(`/v1/wallets/${owner}/tokens`);
const locationOf = async (body: Body) => expectAccepted(await requestToken(body));

describe('an open token ignores contributors', () => {
  test.each([
    ['null', null],
    ['an empty array', []],
    [
      'an array of invalid contributors',
      ['', ' ', '0x12', withWrongChecksum(address), lower.slice(2), 'a\0', '\ud800'],
    ],
    ['10,001 contributors', Array.from({ length: 10_001 }, (_, index) => `handle ${index}`)],
    ['a valid address', [address]],
  ])('%s', async (_title, contributors) => {
    const request = await openRequest();
    const token = await createToken({ ...request, contributors });
    expect(token).toStrictEqual(expectedToken(request, token.tokenId));
    expect(await locationOf(request)).toBe(await locationOf({ ...request, contributors }));
  });

  test('and their wallets do not list the token', async () => {
    const contributor = newAddress();
    await createToken({ ...(await openRequest()), contributors: [contributor] });
    expect((await walletOf(contributor)).data).toEqual([]);
  });
});

describe('an allowlisted token accepts', () => {
  test.each([
    ['an address with its checksum', [address]],
    ['an address in lower case', [lower]],
    ['an address in upper case', [upper]],
    ['an e-mail, an ENS name and a handle', ['ada@example.com', 'ada.eth', '@ada']],
    ['an identifier of 1 character', ['a']],
    ['an identifier of 256 characters', ['i'.repeat(256)]],
    ['41 hex digits, as an identifier', [`${lower.slice(2)}0`]],
  ])('%s', async (_title, contributors) => {
    const request = await allowlistedRequest({ contributors });
    const token = await createToken(request);
    expect(token).toStrictEqual(expectedToken(request, token.tokenId));
  });

  test('10,000 contributors, whose wallets list the token', async () => {
    const contributors = Array.from({ length: 10_000 }, () => hexlify(randomBytes(20)));
    const location = await locationOf(await allowlistedRequest({ contributors }));
    const tokenId = await expectSuccess(location);
    for (const contributor of [contributors.at(0), contributors.at(5000), contributors.at(-1)]) {
      expect((await walletOf(String(contributor))).data).toMatchObject([{ badgeTokenId: tokenId }]);
    }
  });
});

describe('requests with equal contributors return the same operation', () => {
  test.each([
    ['addresses in upper or lower case', [address], [lower, address, upper]],
    ['identifiers with surrounding spaces', ['ada'], [' ada', 'ada\t', 'ada']],
    ['identifiers in NFC and NFD', ['caf\u00e9'], ['cafe\u0301', 'caf\u00e9']],
    ['e-mail addresses in upper or lower case', ['ada@example.com'], ['Ada@Example.COM', 'ada@example.com']],
  ])('%s', async (_title, once, repeated) => {
    const request = await allowlistedRequest({ contributors: repeated });
    const location = await locationOf(request);
    expect(await locationOf({ ...request, contributors: once })).toBe(location);
  });

  test('but handles that differ in case are not equal', async () => {
    const request = await allowlistedRequest({ contributors: ['ada'] });
    const location = await locationOf(request);
    expect(await locationOf({ ...request, contributors: ['Ada'] })).not.toBe(location);
  });

  test('and a wallet lists the token once, even if its address is repeated', async () => {
    const contributor = newAddress();
    const { tokenId } = await createToken(
      await allowlistedRequest({ contributors: [contributor, contributor.toLowerCase(), contributor] }),
    );
    expect((await walletOf(contributor)).data.map(({ badgeTokenId }) => badgeTokenId)).toEqual([tokenId]);
  });
});
