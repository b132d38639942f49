import { inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const TEXT_TYPES = new Set(['iTXt', 'tEXt', 'zTXt']);
const MAX_TEXT_BYTES = 2 ** 20;
const NUL = 0;

interface Chunk {
  type: string;
  data: Buffer;
  start: number;
  end: number;
}

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/** Returns the first text of a PNG with one of these keywords, or null. */
export function findText(png: Buffer, keywords: string[]): string | null {
  let plain: string | null = null;
  for (const { type, data } of readChunks(png)) {
    const end = data.indexOf(NUL);
    if (end === -1 || !keywords.includes(data.toString('latin1', 0, end))) continue;
    // The text of an iTXt goes first, because a tEXt has no letters outside Latin-1.
    if (type === 'iTXt') return readInternational(data.subarray(end + 1));
    if (type === 'tEXt') plain ??= data.toString('utf8', end + 1);
  }
  return plain;
}

/** Returns a PNG without its texts. What is no complete PNG is returned as it is. */
export function removeTexts(png: Buffer): Buffer {
  const pieces = [png.subarray(0, SIGNATURE.length)];
  let end = SIGNATURE.length;
  for (const chunk of readChunks(png)) {
    if (!TEXT_TYPES.has(chunk.type)) pieces.push(png.subarray(chunk.start, chunk.end));
    end = chunk.end;
  }
  pieces.push(png.subarray(end));
  return Buffer.concat(pieces);
}

function* readChunks(png: Buffer): Generator<Chunk> {
  let start = SIGNATURE.length;
  while (start + 12 <= png.length) {
    const length = png.readUInt32BE(start);
    const end = start + 12 + length;
    if (end > png.length) return;
    yield {
      type: png.toString('latin1', start + 4, start + 8),
      data: png.subarray(start + 8, end - 4),
      start,
      end,
    };
    start = end;
  }
}

// After the keyword: a flag, a method, a language, NUL, a translated keyword, NUL, the text. Moodle has
// written this part wrongly, so what cannot be read so is taken as it is.
function readInternational(rest: Buffer): string {
  const language = rest.indexOf(NUL, 2);
  const translated = language === -1 ? -1 : rest.indexOf(NUL, language + 1);
  const isWellFormed = translated !== -1 && (rest[0] === 0 || rest[0] === 1) && rest[1] === 0;
  if (!isWellFormed) return rest.toString('utf8').replaceAll('\0', ' ');
  const text = rest.subarray(translated + 1);
  if (rest[0] === 0) return text.toString('utf8');
  try {
    return inflateSync(text, { maxOutputLength: MAX_TEXT_BYTES }).toString('utf8');
  } catch {
    return '';
  }
}
