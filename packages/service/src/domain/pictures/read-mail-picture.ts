import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { findNftTypeAsset, readAsset } from '../../storage/assets.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';

// More than the 200 pixels at which the mail shows it, for screens with many pixels. A larger one would
// double the mail.
const SIZE_PIXELS = 320;
// Mails with larger pictures would take long to load, and some servers refuse them.
const MAX_FILE_BYTES = 300 * 1024;
const MAX_FILES = 10;
// What every mail program can show.
const MAIL_TYPES = ['image/png', 'image/jpeg', 'image/gif'];

export interface MailPicture {
  content: Buffer;
  contentType: string;
}

/**
 * Returns a function that reads the picture of a token for a mail: the drawn design, or the uploaded file if
 * it is small and every mail program can show it, otherwise a drawn poster with the headline. It keeps the
 * pictures of the last tokens.
 */
export function createMailPictureReader(
  context: Pick<Context, 'database' | 'images'>,
): (token: TokenSummaryRow) => Promise<MailPicture> {
  const files = new LRUCache<number, MailPicture>({ max: MAX_FILES });

  async function readFile(token: TokenSummaryRow): Promise<MailPicture | undefined> {
    const asset = await findNftTypeAsset(context.database, token.community_id, token.nft_type_id);
    if (asset === undefined || asset.size_bytes > MAX_FILE_BYTES) return undefined;
    const pieces: Uint8Array[] = [];
    for await (const piece of readAsset(context.database, asset, { start: 0, end: asset.size_bytes })) {
      pieces.push(piece);
    }
    const picture = { content: Buffer.concat(pieces), contentType: asset.content_type };
    files.set(token.token_id, picture);
    return picture;
  }

  return async (token) => {
    const { headline, nft_type_id: designId, asset_content_type: contentType } = token;
    const isFile = contentType !== null && MAIL_TYPES.includes(contentType);
    const file = isFile ? (files.get(token.token_id) ?? (await readFile(token))) : undefined;
    if (file !== undefined) return file;
    // The renderer keeps what it has drawn.
    const content = await context.images.render(
      contentType === null
        ? { kind: 'token', designId, headline, sizePixels: SIZE_PIXELS }
        : { kind: 'poster', headline, sizePixels: SIZE_PIXELS },
    );
    return { content, contentType: 'image/png' };
  };
}
