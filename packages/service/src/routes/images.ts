import Type from 'typebox';
import type { Context } from '../context.ts';
import { readDefaultLogo, readNftTypePicture, readTokenPicture } from '../domain/pictures/read-picture.ts';
import { readTokenShield } from '../domain/pictures/read-token-shield.ts';
import { MAX_PICTURE_SIZE, MIN_PICTURE_SIZE, PICTURE_SIZES } from '../domain/pictures/rules.ts';
import { sendPicture } from '../http/send-picture.ts';
import { type App, paragraphs, problemResponses, TokenParams } from './route.ts';

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
        description: paragraphs(
          "For a built-in design: the design with the headline over it (`png`). For an uploaded image: the file (`jpg`, `png`, `gif`, `webp`). For an uploaded video: the file (`mp4`, `webm`), and a poster with the headline (`png`). With the extension `svg`: a shield, a flat picture of 20 pixels height for a README, with the headline, shortened to 40 letters, and how often the token was claimed. A token's `imageUrl` is always an image; `assetUrl`, in wallets and community tokens, is the video if there is one.",
          '- **Caches.** Responses have a strong `ETag`. `HEAD`, `If-None-Match` (304), and `Range` with `If-Range` (206) are supported for one range of bytes; several ranges return the whole file. Uploaded files never change, and images of tokens change only if a new release draws them differently, so they have `Cache-Control: public, max-age=31536000, immutable`. Built-in designs, posters of NFT types, shields and the logo can be cached for five minutes.',
          "- **Safety.** Any page can show and read them (CORS, `Cross-Origin-Resource-Policy: cross-origin`). Nothing in them can run (`nosniff`, `Content-Security-Policy: default-src 'none'; sandbox`).",
          '- **Limits.** A picture is drawn at its first request and then cached. Addresses (IPv6: their /64) that wait for pictures take turns. At most 16 MiB of pictures are in memory for one address at a time; further responses wait. 429 `RateLimited`: the rate limit for pictures is exceeded, too many pictures for the address wait to be drawn, or 1,000 of its requests wait; the last two also happen in the sandbox. 503 `Unavailable`: too many pictures wait, this one has waited for 20 seconds, or drawing it took more than 10 seconds.',
        ),
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
        description:
          "Returns an uploaded file unchanged, under an id of its own, or the picture of a built-in design. For a video, `png` is a poster with the type's name. Caches, safety and limits are those of a token's image.",
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
        description: 'The logo of communities without their own, 512 pixels wide.',
        querystring: SizeQuery,
        response: { ...PICTURE_RESPONSES, ...problemResponses('InvalidRequest', 'RangeNotSatisfiable') },
      },
    },
    async (request, reply) => sendPicture(request, reply, readDefaultLogo(context, request.query)),
  );
}
