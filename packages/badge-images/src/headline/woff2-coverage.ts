import { brotliDecompressSync } from 'node:zlib';

const HEADER_BYTES = 48;
const CMAP_TAG = 0;
const GLYF_TAG = 10;
const LOCA_TAG = 11;
const ARBITRARY_TAG = 63;

/** Extracts the `cmap` table, which maps code points to glyphs. */
function readCmap(woff2: Buffer): Buffer {
  let at = HEADER_BYTES;
  const readBase128 = (): number => {
    let value = 0;
    let byte: number;
    do {
      byte = woff2.readUInt8(at++);
      value = value * 128 + (byte & 0x7f);
    } while (byte & 0x80);
    return value;
  };
  let start = 0;
  let cmap: [start: number, end: number] | undefined;
  for (let tables = woff2.readUInt16BE(12); tables > 0; tables--) {
    const flags = woff2.readUInt8(at++);
    const tag = flags & 0x3f;
    const version = flags >> 6;
    if (tag === ARBITRARY_TAG) at += 4;
    const originalBytes = readBase128();
    const isTransformed = tag === GLYF_TAG || tag === LOCA_TAG ? version !== 3 : version !== 0;
    const bytes = isTransformed ? readBase128() : originalBytes;
    if (tag === CMAP_TAG) cmap = [start, start + bytes];
    start += bytes;
  }
  if (!cmap) throw new Error('the font has no cmap table');
  const tables = brotliDecompressSync(woff2.subarray(at, at + woff2.readUInt32BE(20)));
  return tables.subarray(...cmap);
}

function addSegments(table: Buffer, covered: Set<number>): void {
  const segmentsBytes = table.readUInt16BE(6);
  for (let at = 14; at < 14 + segmentsBytes; at += 2) {
    const end = table.readUInt16BE(at);
    const startAt = at + segmentsBytes + 2;
    const start = table.readUInt16BE(startAt);
    const delta = table.readUInt16BE(startAt + segmentsBytes);
    const offsetAt = startAt + 2 * segmentsBytes;
    const offset = table.readUInt16BE(offsetAt);
    for (let codePoint = start; codePoint <= end && codePoint < 0xffff; codePoint++) {
      const glyph =
        offset === 0
          ? (codePoint + delta) & 0xffff
          : table.readUInt16BE(offsetAt + offset + 2 * (codePoint - start));
      if (glyph !== 0) covered.add(codePoint);
    }
  }
}

function addGroups(table: Buffer, covered: Set<number>): void {
  for (let group = 0; group < table.readUInt32BE(12); group++) {
    const at = 16 + 12 * group;
    const end = table.readUInt32BE(at + 4);
    for (let codePoint = table.readUInt32BE(at); codePoint <= end; codePoint++) covered.add(codePoint);
  }
}

/** Returns the code points that a WOFF2 font has a glyph for. Reads `cmap` formats 4 and 12. */
export function readCoverage(woff2: Buffer): ReadonlySet<number> {
  const cmap = readCmap(woff2);
  const covered = new Set<number>();
  for (let record = 0; record < cmap.readUInt16BE(2); record++) {
    const table = cmap.subarray(cmap.readUInt32BE(4 + 8 * record + 4));
    const format = table.readUInt16BE(0);
    if (format === 4) addSegments(table, covered);
    if (format === 12) addGroups(table, covered);
  }
  return covered;
}
