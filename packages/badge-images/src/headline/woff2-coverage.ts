import { brotliDecompressSync } from 'node:zlib';

const HEADER_BYTES = 48;
// WOFF2 numbers the usual tables. After ARBITRARY_TAG, the name of the table follows in 4 bytes.
const CMAP_TAG = 0;
const GLYF_TAG = 10;
const LOCA_TAG = 11;
const ARBITRARY_TAG = 63;

/** Extracts the `cmap` table, which maps code points to glyphs. */
function readCmap(woff2: Buffer): Buffer {
  let position = HEADER_BYTES;
  const readBase128 = (): number => {
    let value = 0;
    let byte: number;
    do {
      byte = woff2.readUInt8(position++);
      value = value * 128 + (byte & 0x7f);
    } while (byte & 0x80);
    return value;
  };
  let start = 0;
  let cmap: [start: number, end: number] | undefined;
  // Offset 12 of the header is the number of tables, offset 20 the size of the compressed tables.
  for (let remaining = woff2.readUInt16BE(12); remaining > 0; remaining--) {
    const flags = woff2.readUInt8(position++);
    const tag = flags & 0x3f;
    const version = flags >> 6;
    if (tag === ARBITRARY_TAG) position += 4;
    const originalBytes = readBase128();
    // The version of a table that is not transformed is 3 for glyf and loca, and 0 for the other tables.
    const isTransformed = tag === GLYF_TAG || tag === LOCA_TAG ? version !== 3 : version !== 0;
    const bytes = isTransformed ? readBase128() : originalBytes;
    if (tag === CMAP_TAG) cmap = [start, start + bytes];
    start += bytes;
  }
  if (!cmap) throw new Error('the font has no cmap table');
  const tables = brotliDecompressSync(woff2.subarray(position, position + woff2.readUInt32BE(20)));
  return tables.subarray(...cmap);
}

// The header of 14 bytes is followed by arrays of 16-bit numbers, with one number for each segment of code
// points: the ends, two unused bytes, the starts, the deltas and the offsets.
function addFormat4(subtable: Buffer, covered: Set<number>): void {
  const segmentsBytes = subtable.readUInt16BE(6);
  for (let at = 14; at < 14 + segmentsBytes; at += 2) {
    const end = subtable.readUInt16BE(at);
    const startPosition = at + segmentsBytes + 2;
    const start = subtable.readUInt16BE(startPosition);
    const delta = subtable.readUInt16BE(startPosition + segmentsBytes);
    const offsetPosition = startPosition + 2 * segmentsBytes;
    const offset = subtable.readUInt16BE(offsetPosition);
    for (let codePoint = start; codePoint <= end && codePoint < 0xffff; codePoint++) {
      const glyph =
        offset === 0
          ? (codePoint + delta) & 0xffff
          : subtable.readUInt16BE(offsetPosition + offset + 2 * (codePoint - start));
      if (glyph !== 0) covered.add(codePoint);
    }
  }
}

// The header of 16 bytes is followed by groups of 12 bytes: the first code point, the last one, and a glyph.
function addFormat12(subtable: Buffer, covered: Set<number>): void {
  for (let group = 0; group < subtable.readUInt32BE(12); group++) {
    const at = 16 + 12 * group;
    const end = subtable.readUInt32BE(at + 4);
    for (let codePoint = subtable.readUInt32BE(at); codePoint <= end; codePoint++) covered.add(codePoint);
  }
}

/** Returns the code points that a WOFF2 font has a glyph for. Reads `cmap` formats 4 and 12. */
export function readCoverage(woff2: Buffer): ReadonlySet<number> {
  const cmap = readCmap(woff2);
  const covered = new Set<number>();
  for (let record = 0; record < cmap.readUInt16BE(2); record++) {
    // A header of 4 bytes is followed by records of 8 bytes. The second half of each is the position of a
    // subtable.
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + 8 * record + 4));
    const format = subtable.readUInt16BE(0);
    if (format === 4) addFormat4(subtable, covered);
    if (format === 12) addFormat12(subtable, covered);
  }
  return covered;
}
