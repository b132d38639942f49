import Type from 'typebox';
import type { Context } from '../../context.ts';
import { readDefaultLogo, readNftTypePicture, readTokenPicture } from '../../domain/pictures/read-picture.ts';
import { addPictureHeaders, sendPicture } from '../send-picture.ts';
import { type App, problemResponses } from './route.ts';

const BINARY = { schema: { type: 'string', contentEncoding: 'binary' } };
const PICTURE_RESPONSES = {
  200: { description: 'The image or video.', content: { 'image/*': BINARY, 'video/*': BINARY } },
  206: {
    description: 'The range of it that was asked for.',
    content: { 'image/*': BINARY, 'video/*': BINARY },
  },
  304: { description: 'It is still the one that the client has.', type: 'null' },
};

/** The pictures that answers point to. They may be shown on any page. */
export function imageRoutes(app: App, context: Context): void {
  const options = {
    config: { access: 'public' },
    onRequest: async (_request: unknown, reply: Parameters<typeof addPictureHeaders>[0]) =>
      addPictureHeaders(reply),
  } as const;

  app.get(
    '/images/token/:tokenId.:extension',
    {
      ...options,
      schema: {
        operationId: 'readTokenImage',
        tags: ['Images'],
        summary: "A token's image, or its video",
        description: 'It never changes.',
        params: Type.Object({ tokenId: Type.String(), extension: Type.String() }),
        response: {
          ...PICTURE_RESPONSES,
          ...problemResponses('NotFound', 'TokenNotFound', 'RangeNotSatisfiable'),
        },
      },
    },
    async (request, reply) => sendPicture(request, reply, await readTokenPicture(context, request.params)),
  );

  app.get(
    '/images/nft/:id.:extension',
    {
      ...options,
      schema: {
        operationId: 'readNftTypePicture',
        tags: ['Images'],
        summary: 'The file or the preview of an NFT type',
        params: Type.Object({
          id: Type.String({ description: 'Of a built-in type, or of an uploaded file.' }),
          extension: Type.String(),
        }),
        response: {
          ...PICTURE_RESPONSES,
          ...problemResponses('NotFound', 'NftTypeNotFound', 'RangeNotSatisfiable'),
        },
      },
    },
    async (request, reply) => sendPicture(request, reply, await readNftTypePicture(context, request.params)),
  );

  app.get(
    '/images/logo.png',
    {
      ...options,
      schema: {
        operationId: 'readDefaultLogo',
        tags: ['Images'],
        summary: 'The logo of communities that have none of their own',
        response: { ...PICTURE_RESPONSES, ...problemResponses('RangeNotSatisfiable') },
      },
    },
    async (request, reply) => sendPicture(request, reply, await readDefaultLogo(context)),
  );
}
