import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { LIMITS } from '@badge/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { nameKeyOrAddress } from './caller-names.ts';
import { BODY_LIMITS } from './limits.ts';
import { measureJson } from './measure-json.ts';
import { readBody } from './read-body.ts';
import { stateOf } from './request-state.ts';
import { releaseBeforeResponse } from './shares/resources.ts';

const { minRequestBytes, largeBytes } = BODY_LIMITS;

/**
 * Parses JSON bodies strictly: valid UTF-8, at most 16 levels deep, with a limited number of values. The
 * requests of a caller that have a large body are handled one at a time.
 */
export function addJsonParser(app: FastifyInstance): void {
  const { bodyMemory, largeBodies } = app.resources;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const caller = nameKeyOrAddress(request);
    function acquireMemory(bytes: number): void {
      const permit = bodyMemory.tryAcquire(caller, bytes);
      if (permit instanceof Error) throw permit;
      releaseBeforeResponse(request, permit.release);
    }
    acquireMemory(minRequestBytes);
    // How much of the acquired memory the body does not use yet.
    let unusedBytes = minRequestBytes;
    const body = await readBody(payload, {
      maxBytes: request.routeOptions.bodyLimit,
      reserve: (bytes) => {
        if (bytes > unusedBytes) acquireMemory(bytes - unusedBytes);
        unusedBytes = Math.max(unusedBytes - bytes, 0);
      },
    });
    stateOf(request).bodyBytes = body.length;
    if (body.length > largeBytes) {
      const permit = await largeBodies.acquire(caller, 1);
      releaseBeforeResponse(request, permit.release);
      // Other requests are served between two large bodies.
      await nextIteration();
    }
    const measured = measureJson(body, LIMITS.bodyValues);
    if (request.headers['idempotency-key'] !== undefined) {
      stateOf(request).bodyHash = createHash('sha256').update(body).digest();
    }
    // Many clients send this content type even if the request has no body.
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return undefined;
    checkCharset(request.headers['content-type'] ?? '');
    return parseJson(body, measured);
  });
}

/**
 * Rejects a compressed body before it is read, and a request without a content type to a route that needs a
 * JSON body. If the latter has no body either, Fastify does not call the parser. The body schema of an upload
 * has `content`, because it is not JSON.
 */
export function checkJsonHeaders({ headers, method, routeOptions }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  const isBodyRead = method !== 'GET' && method !== 'HEAD';
  if (isBodyRead && encoding !== undefined && encoding !== 'identity') {
    throw new Refusal(
      'UnsupportedMediaType',
      'A compressed body is not accepted. Send it without Content-Encoding.',
    );
  }
  const { body } = routeOptions.schema ?? {};
  const isJsonRequired = typeof body === 'object' && body !== null && !('content' in body);
  if (!isJsonRequired || headers['content-type'] !== undefined) return;
  throw new Refusal('UnsupportedMediaType', 'The body must be sent as application/json.');
}

function checkCharset(contentType: string): void {
  const charset = /;\s*charset="?([^";\s]*)/i.exec(contentType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8' && charset.toLowerCase() !== 'utf8') {
    throw new Refusal('UnsupportedMediaType', 'The body must be in UTF-8.');
  }
}

// `values` and `depth` are checked before parsing, because parsing millions of values takes much memory and
// time.
function parseJson(bytes: Buffer, { values, depth }: { values: number; depth: number }): unknown {
  if (!isUtf8(bytes)) throw bodyError('is not valid UTF-8');
  if (depth > LIMITS.bodyDepth) throw bodyError(`is nested more than ${LIMITS.bodyDepth} levels deep`);
  if (values > LIMITS.bodyValues) throw bodyError(`has more than ${LIMITS.bodyValues} values`);
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw bodyError(text.trim() === '' ? 'is empty' : 'is not a valid JSON document');
  }
}

function bodyError(detail: string): Refusal {
  return invalidRequest([{ pointer: '', detail }]);
}
