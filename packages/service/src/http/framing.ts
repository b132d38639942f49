import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../domain/refusal.ts';
import { countHeader } from './sent-headers.ts';

/** Answers, or ignores, what Node lets through or would answer with no problem object. */
export function addFraming(app: FastifyInstance): void {
  // An expectation that is not known may be passed over (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request) => checkFraming(request));
}

// A proxy may read such a request as another one than we do, so nobody's reading counts.
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
