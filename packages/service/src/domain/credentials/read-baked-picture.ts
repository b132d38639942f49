import { createHash } from 'node:crypto';
import { bakeCredential } from '@badge/credentials/issue';
import type { Context } from '../../context.ts';
import type { Picture } from '../pictures/read-picture.ts';
import { readPng } from '../pictures/read-png.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import type { Credential } from './read-credential.ts';

/** Reads the picture of a badge with its credential in it, as Open Badges 3.0 describes. */
export async function readBakedPicture(
  context: Context,
  credential: Credential,
  { isPrivate = false } = {},
): Promise<Picture> {
  const png = await readPng(context, await readTokenRow(context, String(credential.tokenId)));
  return {
    hash: createHash('sha256').update(png.hash).update(credential.hash).digest('base64url'),
    isImmutable: false,
    isPrivate,
    isRevalidated: true,
    // The picture, and its copy with the credential.
    maxHeldBytes: 2 * png.maxBytes + credential.bytes.length,
    open: async (requester) => {
      const picture = await png.open(requester);
      const baked = bakeCredential(picture, credential.bytes.toString());
      return { contentType: 'image/png', bytes: Buffer.from(baked.buffer, baked.byteOffset, baked.length) };
    },
  };
}
