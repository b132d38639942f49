import Type from 'typebox';
import type { Context } from '../context.ts';
import { readDefaultLogo, readNftTypePicture, readTokenPicture } from '../domain/pictures/read-picture.ts';
import { sendPicture } from '../http/send-picture.ts';
import { type App, problemResponses, TokenParams } from './route.ts';

const Extension = Type.String({ description: 'The extension of the file, such as `png`, as in its URL.' });
const BINARY = { schema: { type: 'string', contentEncoding: 'binary' } };
const PICTURE_RESPONSES = {
  200: { description: 'The image or video.', content: { 'image/*': BINARY, 'video/*': BINARY } },
  206: {
    description: 'The requested range.',
    content: { 'image/*': BINARY, 'video/*': BINARY },
  },
  304: { description: 'Not modified: the `ETag` in `If-None-Match` is current.', type: 'null' },
};

export function imageRoutes(app: App, context: Context): void {
  const config = { access: 'public', isRateLimitDocumented: true, addressPolicy: 'picture' } as const;

  app.get(
    '/images/token/:tokenId.:extension',
    {
      config,
      schema: {
        operationId: 'readTokenImage',
        tags: ['Images'],
        summary: "Retrieve a token's image or video",
        description: 'The file does not change, except that a new release may draw it differently.',
        params: Type.Object({ ...TokenParams.properties, extension: Extension }),
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
      config,
      schema: {
        operationId: 'readNftTypePicture',
        tags: ['Images'],
        summary: "Retrieve an NFT type's file or preview",
        params: Type.Object({
          id: Type.String({ description: 'The id of a built-in NFT type or of an uploaded file.' }),
          extension: Extension,
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
      config,
      schema: {
        operationId: 'readDefaultLogo',
        tags: ['Images'],
        summary: 'Retrieve the default logo',
        description: 'The logo of communities without their own.',
        response: { ...PICTURE_RESPONSES, ...problemResponses('RangeNotSatisfiable') },
      },
    },
    async (request, reply) => sendPicture(request, reply, readDefaultLogo(context)),
  );
}
