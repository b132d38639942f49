import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NOT_FOUND } from '../http/errors.ts';
import { matchesEtag } from '../http/etag.ts';
import type { WebBuild } from '../web-build.ts';

const codings = new Negotiator({ supportedValues: ['br', 'gzip'] });

/** Serves the scripts, styles and pictures of the web pages, and the tarball of the SDK, from memory. `webBuild` is null if they are not built. */
export async function addWebFiles(web: FastifyInstance, webBuild: WebBuild | null): Promise<void> {
  function addFile(path: string, cacheControl: string): void {
    const config = { access: 'public', addressPolicy: 'file' } as const;
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
    reply
      .type(file.contentType)
      .header('Cache-Control', cacheControl)
      .header('Vary', 'Accept-Encoding')
      .header('ETag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    // All responses send the same buffer, so slow clients take no additional memory.
    if (compressed === undefined) return reply.send(file.bytes);
    return reply.header('Content-Encoding', coding).send(compressed);
  }

  // The names in this folder contain a hash of the content.
  addFile('/assets/:name', 'public, max-age=31536000, immutable');
  addFile('/favicon.svg', 'public, max-age=300');
  addFile('/theme.js', 'public, max-age=300');
  // Always revalidated, so that an upgrade replaces it at once.
  addFile('/sdk.tgz', 'no-cache');
}
