import { OEmbed } from '@badge/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { Refusal } from '../domain/refusal.ts';
import { readOEmbed } from '../domain/tokens/read-oembed.ts';
import { sendObject } from '../http/reads/send-page.ts';
import { addMetadataHeaders } from './metadata.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

const MaxPixels = Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 }));

export function oembedRoutes(app: App, context: Context): void {
  app.get(
    '/oembed',
    {
      config: { access: 'public', isRateLimitDocumented: true },
      schema: {
        operationId: 'readOEmbed',
        tags: ['Web pages'],
        summary: 'Retrieve an embed',
        description:
          'Returns what another site needs to show the web page of a token inside one of its own pages, as [oEmbed 1.0](https://oembed.com) says. The pages of tokens name this call in a `link` (`application/json+oembed`). CORS is open. `type` is `rich` with an `iframe` of 400 by 200 pixels or less, or `link` if `maxwidth` is less than 300 or `maxheight` less than 160. The thumbnail is the picture of a built-in design, in the largest size of up to 512 pixels that fits. Any other URL returns 404 `NotFound`.',
        querystring: Type.Object({
          url: Type.String({
            description: 'The URL of the web page of a token, with or without the parameter `owner`.',
          }),
          maxwidth: MaxPixels,
          maxheight: MaxPixels,
          format: Type.Optional(Type.String({ description: 'Only `json` is supported.' })),
        }),
        response: {
          200: jsonResponse('The embed.', OEmbed),
          ...problemResponses('InvalidRequest', 'NotFound', 'TokenNotFound', 'FormatNotSupported'),
        },
      },
    },
    async (request, reply) => {
      const { format, ...wanted } = request.query;
      if (format !== undefined && format !== 'json') {
        throw new Refusal('FormatNotSupported', 'The only format is json.');
      }
      return await sendObject(request, reply, async (reader) => {
        const oembed = await readOEmbed(context, reader, wanted);
        reply.header('Cache-Control', `public, max-age=${oembed.cache_age}`);
        return oembed;
      });
    },
  );
}

/** Adds the headers with which a web page of any origin, also an isolated one, can read the response. */
export function addOEmbedHeaders(request: FastifyRequest, reply: FastifyReply): void {
  addMetadataHeaders(request, reply);
  reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
}
