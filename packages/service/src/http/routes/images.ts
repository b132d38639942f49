import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { readNftTypePreview } from '../../domain/nft-types/read-nft-type-preview.ts';
import { readTokenImage } from '../../domain/tokens/read-token-image.ts';
import { renderLogo } from '../../images/render-design.ts';
import { type App, problemResponses } from './route.ts';

const PNG_RESPONSE = {
  description: 'The image.',
  content: { 'image/png': { schema: { type: 'string', contentEncoding: 'binary' } } },
};

/** The pictures that answers point to. They may be shown on any page, and cached for five minutes. */
export function imageRoutes(app: App, context: Context): void {
  app.get(
    '/images/token/:tokenId.png',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readTokenImage',
        tags: ['Images'],
        summary: "A token's image",
        params: Type.Object({ tokenId: Type.String() }),
        response: { 200: PNG_RESPONSE, ...problemResponses('TokenNotFound') },
      },
    },
    async (request, reply) => sendPng(request, reply, await readTokenImage(context, request.params.tokenId)),
  );

  app.get(
    '/images/nft/:nftTypeId.png',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readNftTypePreview',
        tags: ['Images'],
        summary: 'The preview of an NFT type',
        params: Type.Object({ nftTypeId: Type.String() }),
        response: { 200: PNG_RESPONSE, ...problemResponses('NftTypeNotFound') },
      },
    },
    async (request, reply) => sendPng(request, reply, await readNftTypePreview(request.params.nftTypeId)),
  );

  app.get(
    '/images/logo.png',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readDefaultLogo',
        tags: ['Images'],
        summary: 'The logo of communities that have none of their own',
        response: { 200: PNG_RESPONSE, ...problemResponses() },
      },
    },
    async (request, reply) => sendPng(request, reply, await renderLogo()),
  );
}

function sendPng(request: FastifyRequest, reply: FastifyReply, png: Buffer): FastifyReply {
  const etag = `"${createHash('sha256').update(png).digest('base64url')}"`;
  reply
    .header('ETag', etag)
    .header('Cache-Control', 'public, max-age=300')
    .header('Access-Control-Allow-Origin', '*')
    .header('Cross-Origin-Resource-Policy', 'cross-origin');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('image/png').send(png);
}
