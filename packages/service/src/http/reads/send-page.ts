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
export async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  read: (reader: Reader) => Promise<object>,
): Promise<FastifyReply> {
  const reader = request.server.openReader(request, reply);
  return sendBody(reply, reader, JSON.stringify(await read(reader)));
}

/** Reads a page of small items within the limits of the client's address, and sends it. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, offset }: Page,
  readItems: (reader: Reader) => Promise<object[]>,
): Promise<FastifyReply> {
  return await sendObject(request, reply, async (reader) => ({
    limit,
    offset,
    data: await readItems(reader),
  }));
}

/**
 * Reads a page piece by piece within the limits of the client's address, and sends each piece before it reads
 * the next. If an error occurs before the first piece is sent, the response is a problem object. A later
 * error closes the connection.
 */
export async function sendPageInPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, offset }: Page,
  readPieces: (reader: Reader) => AsyncGenerator<Piece<object>>,
): Promise<FastifyReply> {
  const reader = request.server.openReader(request, reply);
  const pieces = readPieces(reader);
  const { value: first } = await pieces.next();
  if (first === undefined || first.isLast) {
    return sendBody(reply, reader, JSON.stringify({ limit, offset, data: first?.items ?? [] }));
  }
  return sendPieces(request, reply, { reader, page: { limit, offset }, first, rest: pieces });
}

interface PageInPieces {
  reader: ResponseReader;
  page: Page;
  first: Piece<object>;
  rest: AsyncIterator<Piece<object>>;
}

/** Sends a page in pieces. The first piece has been read already. There is at least one more. */
export function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { reader, page, first, rest }: PageInPieces,
): FastifyReply {
  const firstText = JSON.stringify({ ...page, data: first.items.splice(0) }).slice(0, -PAGE_END.length);
  let isEnded = false;
  async function readText(): Promise<string | null> {
    if (isEnded) return null;
    const { value: piece, done } = await rest.next();
    if (done !== true) return takeItems(piece).join('');
    isEnded = true;
    return PAGE_END;
  }
  return sendTexts(request, reply.type(JSON_TYPE), { reader, firstText, readText });
}

interface TextInPieces {
  reader: ResponseReader;
  firstText: string;
  /** Reads the next part of the text; null at the end. */
  readText: () => Promise<string | null>;
}

/** Sends a text in pieces. If an error occurs after the first piece, the connection is closed. */
export function sendTexts(request: FastifyRequest, reply: FastifyReply, text: TextInPieces): FastifyReply {
  if (request.method !== 'HEAD') return reply.send(streamTexts(reply.raw, text));
  // Nothing is written, but the bytes that were read are counted.
  text.reader.startWriting(text.firstText.length);
  return reply.send(Readable.from([]));
}

/** Sends a complete body for which the reader holds memory. */
export function sendBody(
  reply: FastifyReply,
  reader: ResponseReader,
  body: string | Buffer,
  contentType = JSON_TYPE,
): FastifyReply {
  reader.startWriting(Buffer.byteLength(body));
  return reply.type(contentType).send(body);
}

// A client can stop reading, or wait for its share of memory, for many seconds. Meanwhile, items that have
// been sent must not stay in memory. A generator keeps the piece that it has yielded, so `readText` takes the
// items out of the piece.
function streamTexts(response: ServerResponse, { reader, firstText, readText }: TextInPieces): Readable {
  let chunks = splitText(firstText);
  // The chunks of a piece share its memory, until the last one is sent.
  let pieceBytes = sumBytes(chunks);

  async function nextChunk(): Promise<Buffer | null> {
    // A stream asks for the next chunk before the socket has sent the previous one.
    if (response.writableNeedDrain) await once(response, 'drain', { signal: reader.signal });
    while (chunks.length === 0) {
      const text = await readText();
      if (text === null) return null;
      chunks = splitText(text);
      pieceBytes = sumBytes(chunks);
    }
    reader.startWriting(pieceBytes);
    return chunks.shift() ?? null;
  }

  return new Readable({
    // The stream buffers at most one chunk.
    highWaterMark: 1,
    read() {
      nextChunk().then(
        (chunk) => this.push(chunk),
        (error) => this.destroy(error),
      );
    },
  });
}

const takeItems = ({ items }: Piece<object>) => items.splice(0).map((item) => `,${JSON.stringify(item)}`);

const sumBytes = (chunks: Buffer[]) => chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);

function splitText(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / MAX_MEASURED_PIECE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * MAX_MEASURED_PIECE_BYTES, (index + 1) * MAX_MEASURED_PIECE_BYTES),
  );
}
