import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Returns the `ETag` of a body. */
export function makeEtag(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/**
 * Adds the `ETag`. If the client has the body already, sets the status 304 and returns true; then only the
 * headers are sent.
 */
export function isNotModified({ headers }: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('ETag', etag);
  if (!matchesEtag(headers['if-none-match'], etag)) return false;
  reply.code(304);
  return true;
}

/**
 * Whether `If-None-Match` contains the tag. The header is a list, and its tags are compared weakly (RFC 9110,
 * 13.1.2).
 */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
