/**
 * How many bytes of a file `readPictureType` looks at. Metadata can precede what says that a PNG is an
 * animation.
 */
export const HEAD_BYTES = 1024 * 1024;

export interface PictureType {
  /** The type as the content says, not the name; null if the file is none of the known pictures. */
  type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'image/svg+xml' | null;
  /** Whether drawing it would lose a movement. Every GIF counts. */
  isAnimated: boolean;
}

/** Says what kind of picture a file is, from its first bytes. */
export function readPictureType(head: Uint8Array): PictureType {
  const start = toText(head, 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n'))
    return { type: 'image/png', isAnimated: hasAnimationChunk(head) };
  if (start.startsWith('\xff\xd8\xff')) return { type: 'image/jpeg', isAnimated: false };
  if (/^GIF8[79]a/.test(start)) return { type: 'image/gif', isAnimated: true };
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') {
    // RFC 9649: the second bit of the flags of VP8X says that there is an animation.
    const isAnimated = toText(head, 12, 16) === 'VP8X' && ((head[20] ?? 0) & 0b10) !== 0;
    return { type: 'image/webp', isAnimated };
  }
  const isSvg = /^\s*<(\?xml|!--|!doctype\s+svg|svg)/i.test(readStart(head));
  return { type: isSvg ? 'image/svg+xml' : null, isAnimated: false };
}

// The chunk `acTL` of an animated PNG comes before the pixels.
function hasAnimationChunk(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (let position = 8; position + 8 <= head.length; position += 12 + view.getUint32(position)) {
    const name = toText(head, position + 4, position + 8);
    if (name === 'acTL') return true;
    if (name === 'IDAT') return false;
  }
  return false;
}

function toText(head: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...head.subarray(start, end));
}

// Some programs write SVG files in UTF-16. The decoder removes the byte order mark.
function readStart(head: Uint8Array): string {
  const isUtf16 = toText(head, 0, 2) === '\xff\xfe';
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(head.subarray(0, 1_024));
}
