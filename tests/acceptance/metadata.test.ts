import { expect, test } from 'vitest';
import { call, createToken, read } from './client.ts';
import { openRequest } from './token-requests.ts';
import { addNftType, deleteNftType } from './uploads.ts';

interface Metadata {
  name: string;
  description: string;
  image: string;
  animation_url?: string;
  external_url: string;
  attributes: { trait_type: string; value: unknown; display_type?: string }[];
  properties: Record<string, unknown>;
}

const attribute = (fieldName: string, type: string, value: unknown) => ({ fieldName, type, value });

test('the metadata of a token has the fields that wallets and marketplaces read', async () => {
  const token = await createToken(
    await openRequest({
      description: 'For those who were there.',
      links: ['ipfs://x', 'https://example.org/a?b=c', 'http://second.example'],
      startDateTimestamp: 1_700_000_000_000,
      customAttributes: [
        attribute('colour', 'string', 'red'),
        attribute('score', 'number', 1.5),
        attribute('isFirst', 'boolean', true),
        attribute('since', 'date', 1_700_000_000_999),
        attribute('day', 'date', '2024-02-29'),
        attribute('local', 'date', '2024-02-29T12:00'),
        attribute('zone', 'date', '2024-02-29T12:00:00.5+02:00'),
      ],
    }),
  );
  const response = await call(`/metadata/${token.tokenId}`);
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(JSON.parse(response.text)).toStrictEqual({
    name: token.headline,
    description: 'For those who were there.',
    image: token.imageUrl,
    external_url: expect.stringMatching(new RegExp(`/token/${token.tokenId}$`)),
    attributes: [
      { trait_type: 'colour', value: 'red' },
      { trait_type: 'score', value: 1.5, display_type: 'number' },
      { trait_type: 'isFirst', value: true },
      // Dates are in whole seconds since 1970. A date without a time zone is in UTC.
      { trait_type: 'since', value: 1_700_000_000, display_type: 'date' },
      { trait_type: 'day', value: Date.UTC(2024, 1, 29) / 1000, display_type: 'date' },
      { trait_type: 'local', value: Date.UTC(2024, 1, 29, 12) / 1000, display_type: 'date' },
      { trait_type: 'zone', value: Date.UTC(2024, 1, 29, 10) / 1000, display_type: 'date' },
    ],
    properties: {
      tokenId: token.tokenId,
      communityId: token.communityId,
      createdByAddress: token.createdByAddress,
      createdAtTimestamp: token.createdAtTimestamp,
      startDateTimestamp: 1_700_000_000_000,
      endDateTimestamp: null,
      links: token.links,
    },
  });
});

test('the token id in the path is decimal or 64 hex digits, with or without .json and a trailing slash', async () => {
  const { tokenId } = await createToken(await openRequest());
  const hex = tokenId.toString(16).padStart(64, '0');
  const metadata = await read<Metadata>(`/metadata/${tokenId}`);
  for (const id of [`${tokenId}.json`, hex, hex.toUpperCase(), `${hex}.json`, `${hex}/`]) {
    expect(await read<Metadata>(`/metadata/${id}`), id).toEqual(metadata);
  }
});

test('the metadata of a token with a video has the video as animation_url, and a PNG as image', async () => {
  const { nftTypeId } = await addNftType('video/webm');
  const { tokenId } = await createToken(await openRequest({ nftTypeId }));
  await deleteNftType(nftTypeId);
  const { image, animation_url = '' } = await read<Metadata>(`/metadata/${tokenId}`);
  expect((await call(image)).headers.get('content-type')).toBe('image/png');
  expect((await call(animation_url)).headers.get('content-type')).toBe('video/webm');
});
