import type { AssetContentType } from './rules.ts';

/**
 * The content type of a file and its width and height in pixels, as its first bytes say. For a video, `size`
 * is null.
 */
export type AssetHeader = {
  contentType: AssetContentType;
  size: { width: number; height: number } | null;
};

/** How many bytes of a file `readAssetHeader` needs. In a JPEG, long metadata can precede the size. */
export const HEADER_BYTES = 1024 * 1024;

/**
 * Reads the header of a file. Returns null if the file has none of the six types, or its header is incomplete
 * or malformed. Reads the size from the place where decoders read it, because a file could contain a smaller
 * size elsewhere to pass the limit. For a GIF, `size` is that of the screen. A frame can be larger, so
 * `readGifSize` measures the frames.
 */
export function readAssetHeader(head: Buffer): AssetHeader | null {
  const start = head.toString('hex', 0, 128);
  for (const [contentType, signature] of Object.entries(SIGNATURES)) {
    if (signature.test(start)) {
      return toHeader(contentType as AssetContentType, head);
    }
  }
  return null;
}

// Patterns of a file's first bytes, in hex.
const SIGNATURES: Record<AssetContentType, RegExp> = {
  'image/jpeg': /^ffd8ff/,
  'image/png': /^89504e470d0a1a0a0000000d49484452/,
  'image/gif': /^474946383[79]61/,
  // RIFF, WEBP, then VP8 followed by a space, L or X.
  'image/webp': /^52494646.{8}57454250565038(20|4c|58)/,
  // ftyp, then isom, iso2 to iso9, mp41, mp42, avc1, dash, M4V or MSNV.
  'video/mp4': /^0000.{4}66747970(69736f6d|69736f3[2-9]|6d70343[12]|61766331|64617368|4d345620|4d534e56)/,
  // An EBML header with the DocType webm.
  'video/webm': /^1a45dfa3(..){1,64}?4282(..){1,8}?7765626d/,
};

function toHeader(contentType: AssetContentType, head: Buffer): AssetHeader | null {
  const measure = MEASURES[contentType];
  if (measure === undefined) return { contentType, size: null };
  try {
    const size = measure(head);
    return size !== null && size.width > 0 && size.height > 0 ? { contentType, size } : null;
  } catch (error) {
    // The header is cut off.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Measure = (head: Buffer) => { width: number; height: number } | null;

const MEASURES: Partial<Record<AssetContentType, Measure>> = {
  'image/jpeg': measureJpeg,
  'image/png': (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  'image/gif': (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/webp': measureWebp,
};

// Follows the markers to the first frame header (SOF), from which decoders know how much memory to allocate.
function measureJpeg(head: Buffer): { width: number; height: number } | null {
  let position = 2;
  while (head.readUInt8(position) === 0xff) {
    const marker = head.readUInt8(position + 1);
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    // Markers 0xd0 to 0xd9 have no length. After 0xda, the pixel data begins.
    // Encoders do not write markers below 0xc0.
    const mayPrecedePixels = marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xda);
    const length = head.readUInt16BE(position + 2);
    if (!mayPrecedePixels || length < 2) return null;
    // Frame headers are 0xc0 to 0xcf, except 0xc4, 0xc8 and 0xcc.
    const isFrame = marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: head.readUInt16BE(position + 7), height: head.readUInt16BE(position + 5) };
    position += 2 + length;
  }
  return null;
}

// The offsets and masks are those of RFC 9649 (VP8X and VP8L) and RFC 6386 (VP8).
function measureWebp(head: Buffer): { width: number; height: number } | null {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (head.readUInt8(20) !== 0x2f) return null;
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    // The only other type that `SIGNATURES` allows is VP8 followed by a space.
    default: {
      if (head.readUIntBE(23, 3) !== 0x9d012a) return null;
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    }
  }
}
