import { describe, expect, test } from 'vitest';
import { call } from './client.ts';
import { pngHeader } from './sample-files.ts';
import { addsNftTypes, type Part } from './uploads.ts';

const MiB = 1024 * 1024;
const { add } = addsNftTypes();

const withFile = (bytes: Uint8Array<ArrayBuffer> | string): Part[] => [
  ['name', 'Acceptance'],
  ['assetFile', new Blob([bytes])],
];

describe('POST …/nftTypes', () => {
  test('a file of 20 MiB is accepted and served whole', async () => {
    const file = pngHeader(8_192, 4_000, 20 * MiB);
    // The last byte shows whether the whole file is served.
    file[20 * MiB - 1] = 7;
    const { assetUrl } = await add(withFile(file));
    const { bytes } = await call(assetUrl);
    expect(Buffer.from(bytes).equals(file)).toBe(true);
  });
});
