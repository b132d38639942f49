import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../domain/refusal.ts';

/** Node asks for a `Host` itself otherwise, and answers without a problem object. */
export const NODE_HTTP_OPTIONS = { requireHostHeader: false };

/** Answers, or ignores, what Node lets through or would answer with no problem object. */
export function addFraming(app: FastifyInstance): void {
  // RFC 9110 leaves it to the server whether it minds an expectation that it does not know.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request) => checkFraming(request));
}

// A proxy may read such a request as another one than we do, so nobody's reading counts.
function checkFraming({ raw }: FastifyRequest): void {
  const { host: hosts = [] } = raw.headersDistinct;
  if (hosts.length > 1) throw invalidRequest([{ parameter: 'Host', detail: 'is given twice' }]);
  if (hosts.length === 0 && raw.httpVersion === '1.1') {
    throw invalidRequest([{ parameter: 'Host', detail: 'is required' }]);
  }
  const { 'transfer-encoding': coding } = raw.headers;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidRequest([{ parameter: 'Transfer-Encoding', detail: 'must be chunked' }]);
  }
}
