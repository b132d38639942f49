const WINDOW_BYTES = 64 * 1024;
const SCREEN_BYTES = 13;
// The bytes of a block before its sub-blocks. An extension has two. A frame has a header, a colour table of
// any size, and the code size.
const EXTENSION_BYTES = 2;
const FRAME_BYTES = 10;
const CODE_SIZE_BYTES = 1;
// Each kind of block begins with one of these bytes.
const [EXTENSION, FRAME, TRAILER] = Buffer.from('!,;');

/** A file that is read in parts; see `UploadedFile`. */
interface ReadableFile {
  read(position: number, length: number): Promise<Buffer>;
}

/**
 * Returns the size that decoders allocate memory for: the screen of the GIF, or more if a frame extends
 * beyond it. Returns null if a block has an unknown type, or the file ends inside the screen's header. A file
 * that is cut off later is measured up to its end, because viewers show it.
 */
export async function readGifSize(file: ReadableFile): Promise<{ width: number; height: number } | null> {
  let window: Buffer = await file.read(0, WINDOW_BYTES);
  let windowStart = 0;
  if (window.length < SCREEN_BYTES) return null;
  const size = { width: window.readUInt16LE(6), height: window.readUInt16LE(8) };
  // The position in the window, or beyond its end.
  let position = SCREEN_BYTES + colourTableBytes(window.readUInt8(10));

  async function moveWindow(): Promise<void> {
    windowStart += position;
    position = 0;
    window = await file.read(windowStart, WINDOW_BYTES);
  }

  // A file can have millions of blocks of three bytes. Waiting at each of them would take 20 times as long,
  // so only `moveWindow` is awaited.
  for (;;) {
    if (position + FRAME_BYTES > window.length) await moveWindow();
    const block = window[position];
    if (block === undefined || block === TRAILER) return size;
    if (block === EXTENSION) {
      position += EXTENSION_BYTES;
    } else if (block === FRAME) {
      if (position + FRAME_BYTES > window.length) return size;
      size.width = Math.max(
        size.width,
        window.readUInt16LE(position + 1) + window.readUInt16LE(position + 5),
      );
      size.height = Math.max(
        size.height,
        window.readUInt16LE(position + 3) + window.readUInt16LE(position + 7),
      );
      position += FRAME_BYTES + colourTableBytes(window.readUInt8(position + 9)) + CODE_SIZE_BYTES;
    } else {
      return null;
    }
    // Each sub-block begins with its length; the last one is empty.
    let length: number | undefined;
    do {
      if (position >= window.length) await moveWindow();
      length = window[position];
      if (length === undefined) return size;
      position += length + 1;
    } while (length > 0);
  }
}

// Three bytes for each of 2 to 256 colours, if the flags say that there is a table.
function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
