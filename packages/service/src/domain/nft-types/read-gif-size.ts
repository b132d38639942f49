const WINDOW_BYTES = 64 * 1024;
const SCREEN_BYTES = 13;
const FRAME_BYTES = 9;
// Each kind of block begins with one of these bytes.
const [EXTENSION, FRAME, TRAILER] = Buffer.from('!,;');

/** A file that is read in parts; see `UploadedFile`. */
interface ReadableFile {
  read(position: number, length: number): Promise<Buffer>;
}

/**
 * Returns the size that decoders allocate memory for: the screen of the GIF, or more if a frame extends beyond it. Null
 * if a block has an unknown type, or the file ends inside the screen's header. A file that is cut off later is measured
 * up to its end, because viewers show it.
 */
export async function readGifSize(file: ReadableFile): Promise<{ width: number; height: number } | null> {
  let window: Buffer = Buffer.alloc(0);
  let windowStart = 0;
  let position = 0;

  async function refill(): Promise<void> {
    windowStart += position;
    position = 0;
    window = await file.read(windowStart, WINDOW_BYTES);
  }

  /** Returns the next bytes; fewer at the end of the file. */
  async function take(length: number): Promise<Buffer> {
    if (position + length > window.length) await refill();
    const bytes = window.subarray(position, position + length);
    position += length;
    return bytes;
  }

  // Each sub-block begins with its length; the last one is empty.
  async function skipSubBlocks(): Promise<void> {
    for (;;) {
      while (position < window.length) {
        const length = window.readUInt8(position);
        position += length + 1;
        if (length === 0) return;
      }
      await refill();
      if (window.length === 0) return;
    }
  }

  const screen = await take(SCREEN_BYTES);
  if (screen.length < SCREEN_BYTES) return null;
  const size = { width: screen.readUInt16LE(6), height: screen.readUInt16LE(8) };
  position += colourTableBytes(screen.readUInt8(10));

  for (;;) {
    const [block] = await take(1);
    if (block === undefined || block === TRAILER) return size;
    if (block === EXTENSION) {
      // The kind of extension.
      await take(1);
    } else if (block === FRAME) {
      const frame = await take(FRAME_BYTES);
      if (frame.length < FRAME_BYTES) return size;
      size.width = Math.max(size.width, frame.readUInt16LE(0) + frame.readUInt16LE(4));
      size.height = Math.max(size.height, frame.readUInt16LE(2) + frame.readUInt16LE(6));
      position += colourTableBytes(frame.readUInt8(8));
      // The minimum LZW code size.
      await take(1);
    } else {
      return null;
    }
    await skipSubBlocks();
  }
}

// Three bytes for each of 2 to 256 colours, if the flags say that there is a table.
function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
