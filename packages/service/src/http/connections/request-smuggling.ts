import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '../../domain/refusal.ts';

/**
 * Rejects a request that a proxy might read differently than Node does (request smuggling). Async, because Node reports some
 * of these requests only after their headers, and a response that is sent before that would be followed by another one.
 */
export async function checkFraming(request: FastifyRequest): Promise<void> {
  const { raw } = request;
  const hosts = countHeader(request, 'host');
  if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
    throw invalidRequest([{ parameter: 'Host', detail: 'must be sent once' }]);
  }
  const { 'transfer-encoding': coding } = raw.headers;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidRequest([{ parameter: 'Transfer-Encoding', detail: 'must be chunked' }]);
  }
}

/** Counts how often a header was sent. Node drops or joins repeated headers. */
export function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase())
    .length;
}
