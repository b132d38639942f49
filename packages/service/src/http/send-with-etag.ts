import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from './etag.ts';

/** A body of which copies are kept. */
interface KeptBody {
  bytes: Buffer;
  /** Identifies the bytes. */
  hash: string;
  contentType: string;
  cacheControl: string;
}

/** Sends a body, or nothing if the client has it (304). */
export async function sendWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, hash, contentType, cacheControl }: KeptBody,
): Promise<FastifyReply> {
  const etag = `"${hash}"`;
  reply.header('ETag', etag).header('Cache-Control', cacheControl);
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(contentType).send(bytes);
}
