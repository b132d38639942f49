import { TokenMetadata } from '@badge/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { readTokenMetadata } from '../domain/tokens/read-token-metadata.ts';
import { sendToken } from '../http/reads/send-tokens.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function metadataRoutes(app: App, context: Context): void {
  app.get(
    '/metadata/:tokenId',
    {
      config: { access: 'public', isRateLimitDocumented: true },
      schema: {
        operationId: 'readTokenMetadata',
        tags: ['Metadata'],
        summary: "Retrieve a token's metadata",
        description:
          'Returns ERC-1155 metadata for wallets and marketplaces. CORS is open. Numbers among the attributes have the `display_type` `number`. Dates have `date`, and are whole seconds since 1970; a date-time without an offset is UTC.',
        params: Type.Object({
          tokenId: Type.String({
            description:
              'The id of the token, in decimal or as 64 hex digits (the `{id}` of ERC-1155), optionally followed by `.json`.',
          }),
        }),
        response: { 200: jsonResponse('The metadata.', TokenMetadata), ...problemResponses('TokenNotFound') },
      },
    },
    async (request, reply) => {
      const tokenId = request.params.tokenId.replace(/\.json$/, '');
      reply.header('Cache-Control', 'public, max-age=300');
      return await sendToken(request, reply, {
        key: `metadata ${tokenId}`,
        read: (reader) => readTokenMetadata(context, reader, tokenId),
        idOf: ({ properties }) => properties.tokenId,
      });
    },
  );
}

/** Adds the headers with which a web page of any origin can read the response, also a 429. */
export function addMetadataHeaders(_request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id, RateLimit, RateLimit-Policy');
}
