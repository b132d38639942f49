const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** Returns a box, which is the unit of an MP4 file. */
function mp4Box(type: string, content: string): Buffer {
  const bytes = Buffer.from(`    ${type}${content}`, 'latin1');
  bytes.writeUInt32BE(bytes.length);
  return bytes;
}

/** One small file of each content type that an NFT type may have. */
export const sampleFiles = {
  'image/jpeg': fromBase64(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/2wBDAQMDAwQDBAgEBAgQCwkLEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBD/wAARCAACAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAACP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKWAChev/9k=',
  ),
  'image/png': fromBase64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP438AAAAQBAYDFKhhdAAAAAElFTkSuQmCC',
  ),
  'image/gif': fromBase64('R0lGODlhAgACAIAAAAAAAAAAACH5BAQAAAAALAAAAAACAAIAgP+IAAAAAAIChFEAOw=='),
  'image/webp': fromBase64(
    'UklGRj4AAABXRUJQVlA4IDIAAAAQAgCdASoCAAIAAIAOJaACdLoB+AH6AAPIAP7x/9//CMV9U3R/4Rl/+zyYl0TD/s2AAA==',
  ),
  'video/mp4': new Uint8Array([
    ...mp4Box('ftyp', 'isom\0\0\x02\0isomiso2mp41'),
    ...mp4Box('free', ''),
    ...mp4Box('mdat', 'frames'),
  ]),
  'video/webm': fromBase64(
    'GkXfo0AgQoaBAUL3gQFC8oEEQvOBCEKCQAR3ZWJtQoeBAkKFgQIYU4BnQI0VSalmQCgq17FAAw9CQE2AQAZ3aGFtbXlXQUAGd2hhbW15RIlACECPQAAAAAAAFlSua0AxrkAu14EBY8WBAZyBACK1nEADdW5khkAFVl9WUDglhohAA1ZQOIOBAeBABrCBCLqBCB9DtnVAIueBAKNAHIEAAIAwAQCdASoIAAgAAUAmJaQAA3AA/vz0AAA=',
  ),
} satisfies Record<string, Uint8Array<ArrayBuffer>>;

export type SampleType = keyof typeof sampleFiles;
export const sampleTypes = Object.keys(sampleFiles) as SampleType[];

/** The file extension in URLs, by content type. */
export const extensions: Record<SampleType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** Returns a PNG header for an image of this size, padded with zeros to `sizeBytes`, without pixels. */
export function pngHeader(width: number, height: number, sizeBytes = 64): Uint8Array<ArrayBuffer> {
  const png = Buffer.alloc(sizeBytes);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(png);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return new Uint8Array(png);
}

/** Returns a GIF with a screen of one pixel and one frame of this size, without pixels. */
export function gifWithFrame(width: number, height: number): Uint8Array<ArrayBuffer> {
  const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\0\0\0\0\0\x02\0;', 'latin1');
  gif.writeUInt16LE(width, 18);
  gif.writeUInt16LE(height, 20);
  return new Uint8Array(gif);
}
