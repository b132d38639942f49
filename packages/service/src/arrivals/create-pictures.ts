import { basename } from 'node:path';
import { LIMITS } from '@badge/protocol';
import { ArrivalError, type ArrivalSource, type ArrivingPicture } from './arrival.ts';
import { openSourceFiles, readWhole, type SourceFile } from './open-source-files.ts';
import { removeTexts } from './png-texts.ts';

/** Where the picture of a badge can be. */
export interface PictureOrigin {
  /** The id of the badge, after which files are named. */
  id: string;
  /** A URL, a data URL, the name of a file of the source, or null. */
  reference: string | null;
  /** The picture itself, if the source has it. */
  embedded?: Buffer | null;
}

export interface Pictures {
  /** Returns what reads the picture of a badge. Null: the source says nothing of one. */
  find: (origin: PictureOrigin) => (() => Promise<ArrivingPicture>) | null;
  /** Whether a file of the source was found as the picture of a badge. */
  isFound: (name: string) => boolean;
}

const CONTENT_TYPES: Record<string, RegExp> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^474946383[79]61/,
  'image/webp': /^52494646.{8}57454250/,
  'video/mp4': /^.{8}66747970/,
  'video/webm': /^1a45dfa3/,
};
const PICTURE_NAME = /\.(png|jpe?g|gif|webp|mp4|webm|svg)$/i;

/**
 * Reads pictures, each only when it is asked for: first by the id of the badge, from the folder of pictures
 * or the source; then as the source says, from a file of its own or from a URL.
 */
export async function createPictures(
  { picturesFolder, fetchUrl }: Pick<ArrivalSource, 'picturesFolder' | 'fetchUrl'>,
  files: SourceFile[],
): Promise<Pictures & AsyncDisposable> {
  const folder = picturesFolder === null ? null : await openSourceFiles(picturesFolder);
  const byStem = new Map(
    [...files, ...(folder?.files ?? [])].filter(isPicture).map((file) => [toStem(file.name), file]),
  );
  const byName = new Map(files.filter(isPicture).map((file) => [basename(file.name), file]));
  const found = new Set<string>();
  return {
    isFound: (name) => found.has(name),
    find: ({ id, reference, embedded = null }) => {
      const file =
        byStem.get(toFileStem(id)) ?? (reference === null ? undefined : byName.get(basename(reference)));
      if (file !== undefined) {
        found.add(file.name);
        return advise(id, async () => toPicture(await readWhole(file, LIMITS.assetBytes)));
      }
      if (embedded !== null) return advise(id, async () => toPicture(embedded));
      if (reference === null || reference === '') return null;
      return advise(id, async () => toPicture(await readReference(reference, fetchUrl)));
    },
    [Symbol.asyncDispose]: async () => await folder?.[Symbol.asyncDispose](),
  };
}

/** Says what to do if a picture cannot be read. */
function advise(id: string, read: () => Promise<ArrivingPicture>): () => Promise<ArrivingPicture> {
  return async () => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ArrivalError)) throw error;
      const name = `${toFileStem(id)}.png`;
      throw new ArrivalError(
        `${error.message}: put a picture named ${name} into the source or the folder of --pictures`,
      );
    }
  };
}

/** The name of the file with the picture of a badge in the folder of pictures, without its extension. */
export function toFileStem(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-');
}

function toStem(name: string): string {
  return toFileStem(basename(name).replace(PICTURE_NAME, ''));
}

function isPicture({ name }: SourceFile): boolean {
  return PICTURE_NAME.test(name);
}

async function readReference(reference: string, fetchUrl: ArrivalSource['fetchUrl']): Promise<Buffer> {
  if (/^data:/i.test(reference)) return readDataUrl(reference);
  if (!/^https?:\/\//i.test(reference))
    throw new ArrivalError('it is neither a file of the source nor a URL');
  if (fetchUrl === null) throw new ArrivalError('it is at a URL, and nothing is read from the network');
  try {
    const { bytes } = await fetchUrl(reference, { maxBytes: LIMITS.assetBytes });
    return bytes;
  } catch (error) {
    if (!(error instanceof ArrivalError)) throw error;
    throw new ArrivalError(`it cannot be read from its URL, since ${error.message}`);
  }
}

function readDataUrl(url: string): Buffer {
  const content = /^data:[^,]*;base64,(?<base64>.*)$/is.exec(url)?.groups?.base64;
  if (content === undefined) throw new ArrivalError('it is a data URL that is not in base64');
  if (content.length > (LIMITS.assetBytes / 3) * 4 + 4)
    throw new ArrivalError(`it has more than ${LIMITS.assetBytes} bytes`);
  return Buffer.from(content, 'base64');
}

/** Returns a file as a picture, without the texts in it: a baked badge says there who has it. */
function toPicture(bytes: Buffer): ArrivingPicture {
  const start = bytes.toString('hex', 0, 16);
  const [contentType] = Object.entries(CONTENT_TYPES).find(([, signature]) => signature.test(start)) ?? [];
  if (contentType !== undefined)
    return { contentType, bytes: contentType === 'image/png' ? removeTexts(bytes) : bytes };
  const isSvg = /<svg[\s>]/i.test(bytes.toString('latin1', 0, 1_024));
  throw new ArrivalError(
    isSvg ? 'it is an SVG, which is not read' : 'it is neither a PNG, JPEG, GIF or WebP nor an MP4 or WebM',
  );
}
