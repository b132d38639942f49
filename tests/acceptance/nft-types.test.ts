import { newAddress } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  asJson,
  call,
  createToken,
  demoCommunityId,
  expectAccepted,
  read,
  requestToken,
  withDemoKey,
} from './client.ts';
import { asOperator, createApiKey, createCommunity, operatorOnly } from './operator.ts';
import { expectProblem } from './problems.ts';
import { extensions, pngHeader, sampleFiles, sampleTypes } from './sample-files.ts';
import type { NftType, Page, WalletToken } from './shapes.ts';
import { allowlistedRequest, openRequest } from './token-requests.ts';
import {
  addNftType,
  addsNftTypes,
  blobOf,
  deleteNftType,
  newNftTypeId,
  nftTypesPath,
  type Part,
  parseAdded,
  upload,
  validParts,
} from './uploads.ts';

const MiB = 1024 * 1024;
const { deleteAfterTests, add } = addsNftTypes();

const list = async (query = 'limit=1000', communityId = demoCommunityId, headers = withDemoKey) =>
  (await read<Page<NftType>>(`${nftTypesPath(communityId)}?${query}`, headers)).data;

describe('POST …/nftTypes', () => {
  test.each(sampleTypes)('%s is added, listed and served unchanged', async (contentType) => {
    const nftType = deleteAfterTests(await addNftType(contentType, ['alias', 'an alias']));
    expect(nftType).toStrictEqual({
      nftTypeId: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      name: `Acceptance ${contentType}`,
      assetUrl: expect.stringMatching(new RegExp(`^https?://.+/nft/.+\\.${extensions[contentType]}$`)),
      previewAssetUrl: expect.stringMatching(/^https?:\/\/.+\/nft\/.+/),
      isUserAdded: true,
      hasTextOverlay: false,
    });
    const { assetUrl, ...item } = nftType;
    expect(await list()).toContainEqual(item);
    const asset = await call(assetUrl);
    expect(asset.status).toBe(200);
    expect(asset.headers.get('content-type')).toBe(contentType);
    expect(asset.bytes).toEqual(sampleFiles[contentType]);
    const preview = await call(nftType.previewAssetUrl);
    expect(preview.status).toBe(200);
    expect(preview.headers.get('content-type')).toMatch(/^image\//);
  });

  test('the content of a file decides its type, not its name or declared type', async () => {
    const gifDeclaredAsHtml = new Blob([sampleFiles['image/gif']], { type: 'text/html' });
    const parts: Part[] = [
      ['name', 'n'],
      ['assetFile', gifDeclaredAsHtml, '../../etc/\0passwd.html'],
    ];
    const { assetUrl } = await add(parts);
    expect((await call(assetUrl)).headers.get('content-type')).toBe('image/gif');
    expect(assetUrl).not.toMatch(/passwd/);
  });

  test('the parts can have any order, and unknown parts are ignored', async () => {
    const partsWithId = (nftTypeId: string): Part[] => [
      ['unknown', 'x'.repeat(10_000)],
      ['alias', ''],
      ['nftTypeId', nftTypeId],
      ['otherFile', new Blob(['<svg/>']), 'a.svg'],
      ...validParts(),
    ];
    const [first, second] = [newNftTypeId(), newNftTypeId()];
    expect((await add(partsWithId(first))).nftTypeId).toBe(first);
    expect((await add(partsWithId(second).toReversed())).nftTypeId).toBe(second);
  });

  test.each(['x', 'a_B-9', '-'])('an id that begins with %s can be chosen', async (start) => {
    const nftTypeId = `${start}${newNftTypeId()}`;
    expect(deleteAfterTests(await addNftType('image/png', ['nftTypeId', nftTypeId])).nftTypeId).toBe(
      nftTypeId,
    );
  });

  test('an id of 64 characters can be chosen', async () => {
    const nftTypeId = newNftTypeId().padEnd(64, 'x');
    expect(deleteAfterTests(await addNftType('image/png', ['nftTypeId', nftTypeId])).nftTypeId).toBe(
      nftTypeId,
    );
  });

  test('a name has up to 200 characters, not bytes', async () => {
    const name = '🎖'.repeat(200);
    const parts: Part[] = [
      ['assetFile', blobOf('image/png')],
      ['name', name],
    ];
    expect((await add(parts)).name).toBe(name);
  });

  test('a file that is too large is rejected even without Content-Length', async () => {
    const head = '--b\r\nContent-Disposition: form-data; name="assetFile"; filename="f"\r\n\r\n';
    // Sends the beginning of the form and then 22 MiB.
    let piece = 0;
    const body = new ReadableStream({
      pull(controller) {
        piece += 1;
        if (piece === 1) controller.enqueue(Buffer.from(head));
        else if (piece < 24) controller.enqueue(pngHeader(1, 1, MiB));
        else controller.close();
      },
    });
    const headers = { ...withDemoKey, 'Content-Type': 'multipart/form-data; boundary=b' };
    expectProblem(await call(nftTypesPath(), { method: 'POST', headers, body }), 413, 'TooLarge');
  });

  test('a request without a body is rejected', async () => {
    const response = await call(nftTypesPath(), { method: 'POST', headers: withDemoKey });
    expect(expectProblem(response, 415, 'UnsupportedMediaType').detail).toMatch(/multipart\/form-data/);
  });
});

describe('an id', () => {
  test('can be used only once, even after its type was deleted', async () => {
    const nftTypeId = newNftTypeId();
    const parts: Part[] = [...validParts(), ['nftTypeId', nftTypeId]];
    parseAdded(await upload(parts));
    expectProblem(await upload(parts), 409, 'NftTypeExists');
    expect((await deleteNftType(nftTypeId)).status).toBe(204);
    expectProblem(await upload(parts), 409, 'NftTypeExists');
  });

  test('can be used only once, even when uploads race', async () => {
    const parts: Part[] = [...validParts(), ['nftTypeId', newNftTypeId()]];
    const responses = await Promise.all(Array.from({ length: 8 }, () => upload(parts)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(7).fill(409)]);
    for (const response of responses) if (response.status === 201) deleteAfterTests(parseAdded(response));
  });

  test.skipIf(operatorOnly.isSkipped)(
    `can be chosen by several communities, each for a type that the others cannot use${operatorOnly.titleSuffix}`,
    async () => {
      const { uniqId: communityId } = await createCommunity();
      const nftTypeId = newNftTypeId();
      const here = deleteAfterTests(await addNftType('image/png', ['nftTypeId', nftTypeId]));
      const parts: Part[] = [
        ['name', 'n'],
        ['nftTypeId', nftTypeId],
        ['assetFile', blobOf('image/gif')],
      ];
      const there = parseAdded(await upload(parts, { communityId, headers: asOperator }));
      expect(there.assetUrl).not.toBe(here.assetUrl);
      expect((await call(here.assetUrl)).headers.get('content-type')).toBe('image/png');
      expect((await call(there.assetUrl)).headers.get('content-type')).toBe('image/gif');
      const ofOtherCommunity = deleteAfterTests(await addNftType('image/png')).nftTypeId;
      const request = await openRequest({ communityId, nftTypeId: ofOtherCommunity });
      expectProblem(await requestToken(request, { ...asJson, ...asOperator }), 404, 'NftTypeNotFound');
    },
  );
});

describe.skipIf(operatorOnly.isSkipped)(`a community's types${operatorOnly.titleSuffix}`, () => {
  test('are listed after the built-in types, newest first, and paged with them', async () => {
    const { uniqId: communityId } = await createCommunity();
    const names: string[] = [];
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      names.unshift(name);
      const parts: Part[] = [
        ['name', name],
        ['assetFile', blobOf('image/png')],
      ];
      parseAdded(await upload(parts, { communityId, headers: asOperator }));
    }
    const all = await list('limit=1000', communityId, asOperator);
    expect(all.filter(({ isUserAdded }) => isUserAdded).map(({ name }) => name)).toEqual(names);
    expect(all.findIndex(({ isUserAdded }) => isUserAdded)).toBe(all.length - 5);
    for (let offset = 0; offset <= all.length + 1; offset += 1) {
      const page = await list(`limit=3&offset=${offset}`, communityId, asOperator);
      expect(page).toEqual(all.slice(offset, offset + 3));
    }
    expect(await list('limit=0', communityId, asOperator)).toEqual([]);
  });

  test('are at most 50, even when uploads race, and another can be added after a deletion', async () => {
    const { uniqId: communityId } = await createCommunity();
    const { apiKey } = await createApiKey(communityId);
    const headers = { 'X-API-Key': apiKey };
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let index = 0; index < 6; index += 1) {
          statuses.push((await upload(validParts(), { communityId, headers })).status);
        }
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expectProblem(await upload(validParts(), { communityId, headers }), 409, 'NftTypeLimitReached');
    const [newest] = (await list('limit=1000', communityId, headers)).filter((item) => item.isUserAdded);
    const path = `${nftTypesPath(communityId)}/${newest?.nftTypeId}`;
    expect((await call(path, { method: 'DELETE', headers })).status).toBe(204);
    parseAdded(await upload(validParts(), { communityId, headers }));
  });
});

describe('DELETE …/nftTypes/:nftTypeId', () => {
  test('returns 204 without a body and removes the type', async () => {
    const { nftTypeId } = await addNftType('image/png');
    const response = await deleteNftType(nftTypeId);
    expect({ status: response.status, bytes: response.bytes.length }).toEqual({ status: 204, bytes: 0 });
    expect((await list()).map((item) => item.nftTypeId)).not.toContain(nftTypeId);
    expectProblem(await deleteNftType(nftTypeId), 404, 'NftTypeNotFound');
  });

  test('deletes the file of a type that no token uses', async () => {
    const { nftTypeId, assetUrl, previewAssetUrl } = await addNftType('video/mp4');
    expect((await deleteNftType(nftTypeId)).status).toBe(204);
    for (const url of [assetUrl, previewAssetUrl]) expectProblem(await call(url), 404, 'NftTypeNotFound');
  });

  test('rejects a built-in type', async () => {
    expectProblem(await deleteNftType('defaultOrangeRed'), 403, 'NftTypeNotUserAdded');
  });
});

describe("a token of the community's own type", () => {
  test.each(sampleTypes)('serves the %s of its type', async (contentType) => {
    const { nftTypeId } = deleteAfterTests(await addNftType(contentType));
    const wallet = newAddress();
    const token = await createToken(await allowlistedRequest({ nftTypeId, contributors: [wallet] }));
    expect(token.nftTypeId).toBe(nftTypeId);
    const { data } = await read<Page<WalletToken>>(`/v1/wallets/${wallet}/tokens`);
    const assetUrl = data[0]?.assetUrl ?? '';
    expect(assetUrl).toMatch(new RegExp(`/token/${token.tokenId}\\.${extensions[contentType]}$`));
    const asset = await call(assetUrl);
    expect(asset.headers.get('content-type')).toBe(contentType);
    expect(asset.bytes).toEqual(sampleFiles[contentType]);
    if (contentType.startsWith('image/')) {
      expect(token.imageUrl).toBe(assetUrl);
    } else {
      const poster = await call(token.imageUrl);
      expect(poster.status).toBe(200);
      expect(poster.headers.get('content-type')).toBe('image/png');
    }
    const wrong = assetUrl.replace(/\w+$/, contentType === 'image/gif' ? 'webp' : 'gif');
    expectProblem(await call(wrong), 404, 'TokenNotFound');
  });

  test('keeps its image when the type is deleted, and new tokens cannot use the type', async () => {
    const { nftTypeId, assetUrl } = await addNftType('image/webp');
    const request = await openRequest({ nftTypeId });
    const location = expectAccepted(await requestToken(request));
    const token = await createToken(await openRequest({ nftTypeId }));
    expect((await deleteNftType(nftTypeId)).status).toBe(204);
    expectProblem(await requestToken(await openRequest({ nftTypeId })), 404, 'NftTypeNotFound');
    // A request from before the deletion can be repeated.
    expect(expectAccepted(await requestToken(request))).toBe(location);
    for (const url of [token.imageUrl, assetUrl]) {
      expect((await call(url)).bytes).toEqual(sampleFiles['image/webp']);
    }
  });

  test('that is requested while its type is deleted is accepted or rejected with 404', async () => {
    const { nftTypeId } = await addNftType('image/png');
    const requests = await Promise.all(Array.from({ length: 20 }, () => openRequest({ nftTypeId })));
    const [deletion, ...responses] = await Promise.all([
      deleteNftType(nftTypeId),
      ...requests.map((request) => requestToken(request)),
    ]);
    expect(deletion.status).toBe(204);
    for (const response of responses) {
      if (response.status !== 202) expectProblem(response, 404, 'NftTypeNotFound');
    }
    expectProblem(await requestToken(await openRequest({ nftTypeId })), 404, 'NftTypeNotFound');
  });
});

describe('GET …/nftTypes/:nftTypeId/preview', () => {
  const preview = (nftTypeId: string, headline: string, headers = withDemoKey) =>
    call(`${nftTypesPath(demoCommunityId)}/${nftTypeId}/preview?headline=${encodeURIComponent(headline)}`, {
      headers,
    });

  test('is the picture that the token then has', async () => {
    const headline = 'شكرا & thank you 🎉';
    const nftTypeId = 'defaultGreenPurple';
    const response = await preview(nftTypeId, headline);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { imageUrl } = await createToken(await openRequest({ nftTypeId, headline }));
    expect(response.bytes).toEqual((await call(imageUrl)).bytes);
  });

  test('needs a key, and a built-in type', async () => {
    expectProblem(await preview('defaultGreenPurple', 'A', {}), 401, 'ApiKeyRequired');
    const { nftTypeId } = deleteAfterTests(await addNftType('image/png'));
    expectProblem(await preview(nftTypeId, 'A'), 404, 'NftTypeNotFound');
  });
});
