import { crc32, deflateSync } from 'node:zlib';

/** Makes a PNG of one pixel with further chunks: their type and data. */
export function makePng(chunks: [string, Buffer][] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(1, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    makeChunk('IHDR', header),
    ...chunks.map(([type, data]) => makeChunk(type, data)),
    makeChunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A text as Open Badges bake it: `iTXt` with a keyword. */
export function bakedText(text: string, keyword = 'openbadges'): [string, Buffer] {
  return ['iTXt', Buffer.from(`${keyword}\0\0\0\0\0${text}`)];
}

function makeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
