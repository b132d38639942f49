import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_MEASURED_PIECE_BYTES, type Piece, type Reader } from '../../domain/reader.ts';
import type { ResponseReader } from './reader.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const PAGE_END = ']}';

interface Page {
  limit: number;
  offset: number;
}

/** Reads one object within the limits of the client's address, and sends it. */
export async function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  read: (reader: Reader) => Promise<object>,
): Promise<FastifyReply> {
  const reader = await request.server.openReader(request, reply);
  return sendBody(reply, reader, JSON.stringify(await read(reader)));
}

/** Reads a page of small items within the limits of the client's address, and sends it. */
export async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, offset }: Page,
  list: (reader: Reader) => Promise<object[]>,
): Promise<FastifyReply> {
  return await sendRead(request, reply, async (reader) => ({ limit, offset, data: await list(reader) }));
}

/**
 * Reads a page piece by piece within the limits of the client's address, and sends each piece before it reads the next.
 * If an error occurs before the first piece is sent, the response is a problem object. A later error closes the
 * connection.
 */
export async function sendListInPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, offset }: Page,
  list: (reader: Reader) => AsyncGenerator<Piece<object>>,
): Promise<FastifyReply> {
  const reader = await request.server.openReader(request, reply);
  const pieces = list(reader);
  const { value: first } = await pieces.next();
  if (first === undefined || first.isLast) {
    return sendBody(reply, reader, JSON.stringify({ limit, offset, data: first?.items ?? [] }));
  }
  return sendPieces(request, reply, { reader, page: { limit, offset }, first, rest: pieces });
}

/** Sends a page in pieces. The first piece has been read already. There is at least one more. */
export function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  list: { reader: ResponseReader; page: Page; first: Piece<object>; rest: AsyncIterable<Piece<object>> },
): FastifyReply {
  const { reader, page, first, rest } = list;
  reply.type(JSON_TYPE);
  if (request.method === 'HEAD') {
    // Nothing is written, but the bytes that were read are counted.
    reader.startWriting(JSON.stringify(first.items).length);
    return reply.send(Readable.from([]));
  }
  return reply.send(streamPage({ reader, response: reply.raw, page, first, rest }));
}

/** Sends a complete JSON body for which the reader holds memory. */
export function sendBody(reply: FastifyReply, reader: ResponseReader, body: string | Buffer): FastifyReply {
  reader.startWriting(Buffer.byteLength(body));
  return reply.type(JSON_TYPE).send(body);
}

// A client can stop reading, or wait for its share of memory, for many seconds. Meanwhile, items that have been sent must
// not stay in memory. A generator keeps the piece that it has yielded, so this stream takes the items out of the piece.
function streamPage({
  reader,
  response,
  page: { limit, offset },
  first,
  rest,
}: {
  reader: ResponseReader;
  response: ServerResponse;
  page: Page;
  first: Piece<object>;
  rest: AsyncIterable<Piece<object>>;
}): Readable {
  const later = rest[Symbol.asyncIterator]();
  const firstText = JSON.stringify({ limit, offset, data: first.items.splice(0) });
  let parts = splitText(firstText.slice(0, -PAGE_END.length));
  // The parts of a piece share its memory, until the last part is sent.
  let pieceBytes = sumBytes(parts);
  let isEnded = false;

  async function readParts(): Promise<Buffer[]> {
    const { value: piece, done } = await later.next();
    if (done !== true) return splitText(takeItems(piece).join(''));
    isEnded = true;
    return splitText(PAGE_END);
  }

  async function nextPart(): Promise<Buffer | null> {
    // A stream asks for the next part before the socket has sent the previous one.
    if (response.writableNeedDrain) await once(response, 'drain', { signal: reader.signal });
    while (parts.length === 0 && !isEnded) {
      parts = await readParts();
      pieceBytes = sumBytes(parts);
    }
    const part = parts.shift();
    if (part === undefined) return null;
    reader.startWriting(pieceBytes);
    return part;
  }

  return new Readable({
    // The stream buffers at most one part.
    highWaterMark: 1,
    read() {
      nextPart().then(
        (part) => this.push(part),
        (error) => this.destroy(error),
      );
    },
  });
}

const takeItems = ({ items }: Piece<object>) => items.splice(0).map((item) => `,${JSON.stringify(item)}`);

const sumBytes = (parts: Buffer[]) => parts.reduce((bytes, part) => bytes + part.length, 0);

function splitText(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / MAX_MEASURED_PIECE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * MAX_MEASURED_PIECE_BYTES, (index + 1) * MAX_MEASURED_PIECE_BYTES),
  );
}
