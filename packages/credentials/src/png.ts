/** The keyword of the text chunk in which Open Badges 3.0 puts a credential. */
const KEYWORD = 'openbadgecredential';
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
// The length and the type before the content of a chunk, and the checksum after it.
const HEADER_BYTES = 8;
const CHECKSUM_BYTES = 4;

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => bytes[index] === byte);
}

/** Adds a credential to a PNG, in place of one that it has. Throws if the bytes are not a PNG. */
export function bakeCredential(png: Uint8Array, credential: string): Uint8Array {
  const chunks = [...readChunks(png)].filter((chunk) => !isCredential(png, chunk));
  const [header] = chunks;
  if (header?.type !== 'IHDR') throw new Error('the file is not a PNG');
  const parts = [SIGNATURE, png.subarray(header.start, header.end), createTextChunk(credential)];
  for (const chunk of chunks.slice(1)) parts.push(png.subarray(chunk.start, chunk.end));
  return join(parts);
}

function join(parts: Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}

/** Returns a PNG without its credential: the bytes before `bakeCredential`. */
export function removeBakedCredential(png: Uint8Array): Uint8Array {
  const chunks = [...readChunks(png)].filter((chunk) => !isCredential(png, chunk));
  return join([SIGNATURE, ...chunks.map(({ start, end }) => png.subarray(start, end))]);
}

/** Finds the credentials in a PNG. Each is null if it is compressed, which the standard forbids. */
export function findBakedCredentials(png: Uint8Array): (string | null)[] {
  return [...readChunks(png)]
    .filter((chunk) => isCredential(png, chunk))
    .map((chunk) => readText(png, chunk));
}

/** Whether a PNG contains a badge of Open Badges 2.0, or of an earlier version. */
export function hasOpenBadges2(png: Uint8Array): boolean {
  return [...readChunks(png)].some(
    ({ type, start }) =>
      ['iTXt', 'tEXt', 'zTXt'].includes(type) && beginsWith(png, start + HEADER_BYTES, 'openbadges\0'),
  );
}

function beginsWith(png: Uint8Array, start: number, text: string): boolean {
  return String.fromCharCode(...png.subarray(start, start + text.length)) === text;
}

function readText(png: Uint8Array, { start, end }: Chunk): string | null {
  const content = png.subarray(start + HEADER_BYTES, end - CHECKSUM_BYTES);
  // After the keyword and its end: whether the text is compressed, and how. Then the language and the keyword
  // in this language, each with an end.
  const isCompressed = content[KEYWORD.length + 1] !== 0;
  const languageEnd = content.indexOf(0, KEYWORD.length + 3);
  const translationEnd = content.indexOf(0, languageEnd + 1);
  if (isCompressed || languageEnd < 0 || translationEnd < 0) return null;
  return new TextDecoder().decode(content.subarray(translationEnd + 1));
}

interface Chunk {
  type: string;
  start: number;
  end: number;
}

// Stops at the end of the picture, and at a chunk that is cut off.
function* readChunks(png: Uint8Array): Generator<Chunk> {
  if (!isPng(png)) return;
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let start = SIGNATURE.length; start + HEADER_BYTES + CHECKSUM_BYTES <= png.length; ) {
    const end = start + HEADER_BYTES + view.getUint32(start) + CHECKSUM_BYTES;
    if (end > png.length) return;
    const type = String.fromCharCode(...png.subarray(start + 4, start + HEADER_BYTES));
    yield { type, start, end };
    if (type === 'IEND') return;
    start = end;
  }
}

function isCredential(png: Uint8Array, { type, start, end }: Chunk): boolean {
  const content = start + HEADER_BYTES;
  if (type !== 'iTXt' || end - CHECKSUM_BYTES < content + KEYWORD.length + 5) return false;
  return beginsWith(png, content, `${KEYWORD}\0`);
}

function createTextChunk(text: string): Uint8Array {
  const encoder = new TextEncoder();
  // Neither compressed, nor in a language.
  const content = [encoder.encode(KEYWORD), new Uint8Array(5), encoder.encode(text)];
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const chunk = new Uint8Array(HEADER_BYTES + length + CHECKSUM_BYTES);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, length);
  chunk.set(encoder.encode('iTXt'), 4);
  let position = HEADER_BYTES;
  for (const part of content) {
    chunk.set(part, position);
    position += part.length;
  }
  view.setUint32(position, checksum(chunk.subarray(4, position)));
  return chunk;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
