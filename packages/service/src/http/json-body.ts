import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { LIMITS } from '@badge/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { measureJson } from './measure-json.ts';

const bodyHashes = new WeakMap<FastifyRequest, Buffer>();

/** Returns the SHA-256 of the bytes of a JSON body, if the request has an `Idempotency-Key`. */
export function bodyHashOf(request: FastifyRequest): Buffer | undefined {
  return bodyHashes.get(request);
}

/** Parses JSON bodies strictly: valid UTF-8, at most 16 levels deep, with a limited number of values. */
export function addJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.headers['idempotency-key'] !== undefined) {
        bodyHashes.set(request, createHash('sha256').update(body).digest());
      }
      // Many clients send this content type even without a body.
      if (body.length === 0 && request.routeOptions.schema?.body === undefined) return undefined;
      checkCharset(request.headers['content-type'] ?? '');
      return parseJson(body);
    },
  );
  app.addHook('onRequest', async (request) => {
    const encoding = request.headers['content-encoding'];
    const isBodyRead = request.method !== 'GET' && request.method !== 'HEAD';
    if (isBodyRead && encoding !== undefined && encoding !== 'identity') {
      throw new Refusal(
        'UnsupportedMediaType',
        'A compressed body is not accepted. Send it without Content-Encoding.',
      );
    }
  });
  // Without a content type, Fastify calls the handler without a body.
  app.addHook('preValidation', async (request) => {
    const { body } = request.routeOptions.schema ?? {};
    const isJson = typeof body === 'object' && body !== null && !('content' in body);
    if (isJson && request.headers['content-type'] === undefined) {
      throw new Refusal('UnsupportedMediaType', 'The body must be sent as application/json.');
    }
  });
}

function checkCharset(contentType: string): void {
  const charset = /;\s*charset="?([^";\s]*)/i.exec(contentType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8' && charset.toLowerCase() !== 'utf8') {
    throw new Refusal('UnsupportedMediaType', 'The body must be in UTF-8.');
  }
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw bodyError('is not valid UTF-8');
  // Count the values before parsing, because parsing a body of four million values takes memory and time.
  const { values, depth } = measureJson(bytes, LIMITS.bodyValues);
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
