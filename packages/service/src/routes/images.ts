import Type from 'typebox';
import type { Context } from '../context.ts';
import { readDefaultLogo, readNftTypePicture, readTokenPicture } from '../domain/pictures/read-picture.ts';
import { readTokenShield } from '../domain/pictures/read-token-shield.ts';
import { MAX_PICTURE_SIZE, MIN_PICTURE_SIZE, PICTURE_SIZES } from '../domain/pictures/rules.ts';
import { sendPicture } from '../http/send-picture.ts';
import { type App, problemResponses, TokenParams } from './route.ts';

const Extension = Type.String({ description: 'The extension of the file, such as `png`, as in its URL.' });
const SizeQuery = Type.Object({
  size: Type.Optional(
    Type.Integer({
      minimum: MIN_PICTURE_SIZE,
      maximum: MAX_PICTURE_SIZE,
      description: `The longer side, in pixels. It is rounded up to one of ${PICTURE_SIZES.join(', ')}. A picture that is smaller is not enlarged. Of an animation, the first frame. A video has one size.`,
    }),
  ),
});
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
        description:
          'The file does not change, except that a new release may draw it differently. With the extension `svg`: a small flat picture for a README, with the headline and how often the token was claimed.',
        params: Type.Object({ ...TokenParams.properties, extension: Extension }),
        querystring: SizeQuery,
        response: {
          ...PICTURE_RESPONSES,
          ...problemResponses('InvalidRequest', 'NotFound', 'TokenNotFound', 'RangeNotSatisfiable'),
        },
      },
    },
    async (request, reply) => {
      const { tokenId, extension } = request.params;
      const picture =
        extension === 'svg'
          ? await readTokenShield(context, request.server.openReader(request, reply), tokenId)
          : await readTokenPicture(context, { ...request.params, ...request.query });
      return await sendPicture(request, reply, picture);
    },
  );

  app.get(
    '/images/nft/:id.:extension',
    {
      config,
      schema: {
        operationId: 'readNftTypePicture',
        tags: ['Images'],
        summary: "Retrieve an NFT type's file or preview",
        description: 'Returns an uploaded file unchanged, or the picture of a built-in design.',
        params: Type.Object({
          id: Type.String({ description: 'The id of a built-in NFT type or of an uploaded file.' }),
          extension: Extension,
        }),
        querystring: SizeQuery,
        response: {
          ...PICTURE_RESPONSES,
          ...problemResponses('InvalidRequest', 'NotFound', 'NftTypeNotFound', 'RangeNotSatisfiable'),
        },
      },
    },
    async (request, reply) => {
      const picture = await readNftTypePicture(context, { ...request.params, ...request.query });
      return await sendPicture(request, reply, picture);
    },
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
        querystring: SizeQuery,
        response: { ...PICTURE_RESPONSES, ...problemResponses('InvalidRequest', 'RangeNotSatisfiable') },
      },
    },
    async (request, reply) => sendPicture(request, reply, readDefaultLogo(context, request.query)),
  );
}
