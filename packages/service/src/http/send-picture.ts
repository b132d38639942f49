import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Picture } from '../domain/pictures/read-picture.ts';
import { Refusal } from '../domain/refusal.ts';
import { PICTURE_SECURITY_HEADERS } from './response-headers.ts';

/** Adds the headers of pictures: any page can show and read them. */
export function addPictureHeaders(reply: FastifyReply): void {
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Expose-Headers', 'Accept-Ranges, Content-Range, ETag, X-Request-Id')
    .headers(PICTURE_SECURITY_HEADERS);
}

/** Sends a picture: all of it, one range (206), nothing if the client has it (304), or its headers (HEAD). */
export function sendPicture(request: FastifyRequest, reply: FastifyReply, picture: Picture): FastifyReply {
  const { headers, method } = request;
  const { sizeBytes } = picture;
  const etag = `"${picture.hash}"`;
  reply
    .header('ETag', etag)
    .header(
      'Cache-Control',
      picture.isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    )
    .header('Accept-Ranges', 'bytes');
  if (matches(headers['if-none-match'], etag)) return reply.code(304).send();

  reply.type(picture.contentType);
  const isRangeValid = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = method === 'GET' && isRangeValid ? readRange(headers.range, sizeBytes) : null;
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${sizeBytes}`).removeHeader('ETag');
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
  return reply.send(Readable.from(method === 'HEAD' ? [] : picture.read(part), { objectMode: false }));
}

// If-None-Match is a list, and its tags are compared weakly (RFC 9110, 13.1.2).
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

// For several ranges, or a malformed one, the server may send the whole file (RFC 9110, 14.2).
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
