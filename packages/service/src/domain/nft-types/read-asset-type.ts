import { checkNoErrors, Refusal } from '../refusal.ts';
import type { UploadedFile } from '../uploaded-file.ts';
import { type AssetHeader, HEADER_BYTES, readAssetHeader } from './read-asset-header.ts';
import { readGifSize } from './read-gif-size.ts';
import { findPixelErrors } from './rules.ts';

/**
 * Returns the content type. Throws if the file has none of the accepted types, if its header cannot be read,
 * or if its image has too many pixels.
 */
export async function readAssetType(file: UploadedFile): Promise<string> {
  const header = await readHeader(file);
  if (header === null) {
    throw new Refusal(
      'UnsupportedMediaType',
      'assetFile must be a JPEG, PNG, GIF, WebP, MP4 or WebM file. The type is detected from the content, not from the name.',
    );
  }
  if (header.size !== null) checkNoErrors(findPixelErrors(header.size));
  return header.contentType;
}

async function readHeader(file: UploadedFile): Promise<AssetHeader | null> {
  const header = readAssetHeader(await file.read(0, HEADER_BYTES));
  if (header?.contentType !== 'image/gif') return header;
  const size = await readGifSize(file);
  return size === null ? null : { ...header, size };
}
