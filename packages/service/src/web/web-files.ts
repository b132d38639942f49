import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { NOT_FOUND } from '../http/errors.ts';
import { isNotModified } from '../http/etag.ts';
import { VERSION } from '../version.ts';
import type { WebBuild } from '../web-build.ts';

const codings = new Negotiator({ supportedValues: ['br', 'gzip'] });

const NEWEST_SDK = `/sdk-${VERSION}.tgz`;

/**
 * Serves the scripts, styles and pictures of the web pages, and the tarballs of the SDK, from memory.
 * `webBuild` is null if they are not built.
 */
export async function addWebFiles(web: FastifyInstance, webBuild: WebBuild | null): Promise<void> {
  const config = { access: 'public', addressPolicy: 'file' } as const;

  function addFile(path: string, cacheControl: string): void {
    web.get(path, { schema: { hide: true }, config }, (request, reply) =>
      sendFile(request, reply, cacheControl),
    );
  }

  function sendFile(request: FastifyRequest, reply: FastifyReply, cacheControl: string): FastifyReply {
    const file = webBuild?.files.get(request.url.split('?')[0] ?? '');
    if (file === undefined) throw NOT_FOUND;
    const coding = codings.negotiate(request.headers['accept-encoding'] ?? '') as 'br' | 'gzip' | null;
    const compressed = coding === null ? undefined : file.compressed[coding];
    const etag = compressed === undefined ? `"${file.hash}"` : `"${file.hash}-${coding}"`;
    reply.type(file.contentType).header('Cache-Control', cacheControl).header('Vary', 'Accept-Encoding');
    if (isNotModified(request, reply, etag)) return reply.send();
    // All responses send the same buffer, so slow clients take no additional memory.
    if (compressed === undefined) return reply.send(file.bytes);
    return reply.header('Content-Encoding', coding).send(compressed);
  }

  // The names in this folder contain a hash of the content.
  addFile('/assets/:name', 'public, max-age=31536000, immutable');
  addFile('/favicon.svg', 'public, max-age=300');
  addFile('/theme.js', 'public, max-age=300');
  // Lockfiles have the hash of what an address returns. So the file of a version never changes, and an
  // upgrade keeps those of earlier versions.
  web.get('/sdk-:version.tgz', { schema: { hide: true }, config }, (request, reply) => {
    if (webBuild !== null && !webBuild.files.has(request.url.split('?')[0] ?? ''))
      throw new Refusal(
        'NotFound',
        `This service does not have this version of the SDK. It has ${NEWEST_SDK}.`,
      );
    return sendFile(request, reply, 'public, max-age=31536000, immutable');
  });
  web.get('/sdk.tgz', { schema: { hide: true }, config }, (_, reply) => {
    if (webBuild?.files.has(NEWEST_SDK) !== true) throw NOT_FOUND;
    return reply.header('Cache-Control', 'no-cache').redirect(NEWEST_SDK, 302);
  });
}
