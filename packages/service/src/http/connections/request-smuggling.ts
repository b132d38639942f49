import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../../domain/refusal.ts';

/**
 * Rejects requests that a proxy might read differently than Node does (request smuggling). Accepts requests with an
 * unknown Expect header.
 */
export function addSmugglingChecks(app: FastifyInstance): void {
  // Treats a request with an unknown Expect header like any other, as RFC 9110, 10.1.1 allows. Node would send a 417
  // without a problem object.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request) => checkFraming(request));
}

function checkFraming(request: FastifyRequest): void {
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
