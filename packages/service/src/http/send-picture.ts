import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Picture } from '../domain/pictures/read-picture.ts';
import { Refusal } from '../domain/refusal.ts';
import { nameAddress } from './caller-names.ts';
import { clientSignal } from './client-signal.ts';
import { isNotModified } from './etag.ts';
import { PICTURE_SECURITY_HEADERS } from './response-headers.ts';
import { releaseOnClose } from './shares/resources.ts';

const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Range',
  'ETag',
  'Retry-After',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
];

/** Adds the headers of pictures: any page can show and read them. */
export function addPictureHeaders(_request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '))
    .headers(PICTURE_SECURITY_HEADERS);
}

/**
 * Sends a picture: all of it, one range (206), nothing if the client has it (304), or its headers (HEAD). A
 * private one is sent as a whole. The memory, and the database connections that read a stored file, count
 * towards the limits of the client's address.
 */
export async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  picture: Picture,
): Promise<FastifyReply> {
  const { headers, method } = request;
  const etag = `"${picture.hash}"`;
  if (!picture.isPrivate && isNotModified(request, reply, etag))
    return addCacheHeaders(reply, picture).send();
  const { responseMemory, readConnections } = request.server.resources;
  const client = nameAddress(request);
  const signal = clientSignal(reply);
  const permit = await responseMemory.acquire(client, picture.maxHeldBytes, signal);
  releaseOnClose(reply, permit);
  const content = await picture.open({ client, signal });
  const sizeBytes = 'bytes' in content ? content.bytes.length : content.sizeBytes;
  // If the response is closed already, its permit has been released and must stay released.
  if (!reply.raw.closed) permit.resize(Math.min(sizeBytes, picture.maxHeldBytes));

  addCacheHeaders(reply, picture).type(content.contentType);
  const isSameFile = headers['if-range'] === undefined || headers['if-range'] === etag;
  const mayHaveRange = method === 'GET' && isSameFile && !picture.isPrivate;
  const range = mayHaveRange ? readRange(headers.range, sizeBytes) : null;
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${sizeBytes}`);
    throw new Refusal(
      'RangeNotSatisfiable',
      `The range is beyond the end of the file, which has ${sizeBytes} bytes.`,
    );
  }
  if (range !== null) {
    reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end - 1}/${sizeBytes}`);
  }
  const part = range ?? { start: 0, end: sizeBytes };
  reply.header('Content-Length', part.end - part.start);
  // Fastify keeps the Content-Length of a response to HEAD only if the payload is a stream.
  if (method === 'HEAD') return reply.send(Readable.from([], { objectMode: false }));
  if ('bytes' in content) return reply.send(content.bytes.subarray(part.start, part.end));
  const pieces = readEach(content.read(part), (read) => readConnections.run(client, signal, read));
  return reply.send(Readable.from(pieces, { objectMode: false }));
}

function addCacheHeaders(
  reply: FastifyReply,
  { isImmutable, isRevalidated = false, isPrivate = false }: Picture,
): FastifyReply {
  if (isPrivate) return reply.header('Cache-Control', 'no-store');
  const age = isRevalidated ? 'no-cache' : 'max-age=300';
  return reply
    .header('Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : `public, ${age}`)
    .header('Accept-Ranges', 'bytes');
}

/**
 * Yields the pieces. Reads each of them within `run`, which holds a database connection until the read ends.
 */
async function* readEach(
  pieces: AsyncIterable<Uint8Array>,
  run: <Result>(read: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await run(async () => await iterator.next());
    if (done) return;
    yield value;
  }
}

// Returns null if the whole file is to be sent: if there is no range, more than one, or a malformed one (RFC
// 9110, 14.2).
function readRange(
  header: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}
