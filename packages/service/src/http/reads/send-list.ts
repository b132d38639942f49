import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PIECE_BYTES, type Piece, type Reader } from '../../domain/reader.ts';
import type { ResponseReader } from './reader.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

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

/** Sends a page of which the first piece has been read, and is not the last. */
export function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  list: { reader: ResponseReader; page: Page; first: Piece<object>; rest: AsyncIterable<Piece<object>> },
): FastifyReply {
  const { reader, page, first, rest } = list;
  reply.type(JSON_TYPE);
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const texts = toTexts(page, first, rest);
  return reply.send(
    Readable.from(toBuffers(texts, reader, reply.raw), { objectMode: false, highWaterMark: 1 }),
  );
}

/** Sends a complete JSON body for which the reader holds memory. */
export function sendBody(reply: FastifyReply, reader: ResponseReader, body: string | Buffer): FastifyReply {
  reader.startWriting(Buffer.byteLength(body));
  return reply.type(JSON_TYPE).send(body);
}

async function* toTexts(
  { limit, offset }: Page,
  first: Piece<object>,
  rest: AsyncIterable<Piece<object>>,
): AsyncGenerator<string> {
  yield `{"limit":${limit},"offset":${offset},"data":${JSON.stringify(first.items).slice(0, -1)}`;
  for await (const { items } of rest) yield items.map((item) => `,${JSON.stringify(item)}`).join('');
  yield ']}';
}

// A stream asks for the next piece before the socket has sent the previous one. So this generator waits until the
// previous piece has been sent.
async function* toBuffers(
  texts: AsyncGenerator<string>,
  reader: ResponseReader,
  response: ServerResponse,
): AsyncGenerator<Buffer> {
  for await (const text of texts) {
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      reader.startWriting(bytes.length);
      yield bytes.subarray(start, start + PIECE_BYTES);
      if (response.writableNeedDrain) await once(response, 'drain', { signal: reader.signal });
    }
  }
}
