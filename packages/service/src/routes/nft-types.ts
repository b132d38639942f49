import {
  CreatedNftType,
  LIMITS,
  NftType,
  NftTypeFields,
  NftTypeForm,
  NftTypePreviewQuery,
  Page,
  PageQuery,
} from '@badge/protocol';
import multipart from '@fastify/multipart';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { checkMayCreateNftType, createNftType } from '../domain/nft-types/create-nft-type.ts';
import { deleteNftType } from '../domain/nft-types/delete-nft-type.ts';
import { listNftTypes } from '../domain/nft-types/list-nft-types.ts';
import { readNftTypePreview } from '../domain/nft-types/read-nft-type-preview.ts';
import { MAX_DRAWN_BYTES } from '../domain/pictures/read-picture.ts';
import { callerOf } from '../http/auth.ts';
import { nameAddress } from '../http/caller-names.ts';
import { clientSignal } from '../http/client-signal.ts';
import { responseRecorderOf } from '../http/idempotency/idempotency.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { releaseOnClose } from '../http/shares/resources.ts';
import { createFormReader, FORM_OPTIONS } from '../http/upload-form.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
} from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound'] as const;

const NftTypeParams = Type.Object({
  ...CommunityParams.properties,
  nftTypeId: Type.String({ description: 'The id of the NFT type.' }),
});
const withForm = createFormReader({
  filePart: 'assetFile',
  fields: NftTypeFields,
  maxFileBytes: LIMITS.assetBytes,
});
const PNG = { type: 'string', contentEncoding: 'binary' };

export async function nftTypeRoutes(app: App, context: Context): Promise<void> {
  app.get(
    '/communities/:communityId/nftTypes',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'listNftTypes',
        tags: ['NFT types'],
        summary: "List a community's NFT types",
        description:
          'Lists the built-in NFT types, then those that the community has uploaded, newest first. The built-in types are `defaultOrangeRed`, `defaultGreenPurple`, `defaultBlueGreen`, `defaultPinkIndigo`, `defaultGoldBlack`, `defaultCyanViolet`, `defaultSilverNavy` and `defaultYellowTeal`.',
        params: CommunityParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of NFT types.', Page(NftType)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const { communityId } = request.params;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listNftTypes(context, reader, callerOf(request), communityId, page),
      );
    },
  );

  app.get(
    '/communities/:communityId/nftTypes/:nftTypeId/preview',
    {
      config: { access: 'community', role: 'editor' },
      schema: {
        operationId: 'readNftTypePreview',
        tags: ['NFT types'],
        summary: 'Preview a token',
        description:
          "Draws the picture that a token with this built-in NFT type and headline would have. Nothing is stored or cached. Previews wait for their turn together with the images of the client's address. An uploaded type, which shows no headline, returns 404 `NftTypeNotFound`.",
        params: NftTypeParams,
        querystring: NftTypePreviewQuery,
        response: {
          200: { description: 'The picture.', content: { 'image/png': { schema: PNG } } },
          ...problemResponses(...PATH_ERRORS, 'NftTypeNotFound', 'RequestTimeout'),
        },
      },
    },
    async (request, reply) => {
      // It counts towards the address's share of memory for pictures, like the picture of a token.
      const client = nameAddress(request);
      const signal = clientSignal(reply);
      const permit = await request.server.resources.responseMemory.acquire(client, MAX_DRAWN_BYTES, signal);
      releaseOnClose(reply, permit);
      const preview = { ...request.params, ...request.query };
      const png = await readNftTypePreview(context, callerOf(request), preview, { client, signal });
      return reply.type('image/png').send(png);
    },
  );

  app.delete(
    '/communities/:communityId/nftTypes/:nftTypeId',
    {
      config: { access: 'community', role: 'editor' },
      schema: {
        operationId: 'deleteNftType',
        tags: ['NFT types'],
        summary: 'Delete an NFT type',
        description:
          'No new token can use the NFT type, even if its request arrives at the same moment as the deletion, and its id is not available again. Tokens that use it, or were accepted with it, keep their image, and the request that created one still returns its operation when it is repeated. The file is removed when no token and no pending operation uses it; its URL returns 404 then.',
        params: NftTypeParams,
        response: {
          204: { description: 'Deleted.', type: 'null' },
          ...problemResponses(
            ...PATH_ERRORS,
            'NftTypeNotUserAdded',
            'NftTypeNotFound',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      await deleteNftType(context, callerOf(request), request.params);
      return reply.code(204).send(null);
    },
  );

  // The upload is in a Fastify scope of its own, because only this route accepts a form.
  await app.register(async (forms: App) => {
    forms.removeAllContentTypeParsers();
    await forms.register(multipart, FORM_OPTIONS);
    addUploadRoute(forms, context);
  });
}

function addUploadRoute(app: App, context: Context): void {
  // A body of another type is not read. The handler rejects the request.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.post(
    '/communities/:communityId/nftTypes',
    {
      config: {
        access: 'community',
        role: 'editor',
        isUpload: true,
        bodyTypes: ['multipart/form-data'],
        idempotency: 'lock',
      },
      // The handler reads and validates the form.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'createNftType',
        tags: ['NFT types'],
        summary: 'Upload an NFT type',
        description: paragraphs(
          "Uploads an image or a video as a design for the community's tokens. It is shown unchanged, without the headline.",
          "- **Images** have at most 8,192 pixels per side and 40,000,000 in total, according to the header, which must be in the first MiB. If a GIF has a larger frame, the size of the frame counts. PNG may be animated. The file's name and its declared content type are ignored.",
          '- **The form** has its parts in any order, at most 20; unknown parts are ignored, and a part that is sent twice is rejected. The key and the community are checked before the form is read. An upload must finish within 120 seconds and must not pause for 15 seconds. An interrupted upload leaves nothing behind.',
          '- **Limits.** A community can have 50 types of its own; deleted ones do not count. Its files and claim links have a quota together (`limits.storageBytes`, by default 1 GiB); files of deleted types count as long as they are stored. While the files that it has removed in the last ten minutes are as large as the quota, uploads are refused with 429. It can upload 80 MiB at the same time to a process; further uploads wait for up to 10 seconds, then they fail with 503.',
          '`curl $BADGE_URL/v1/communities/demo/nftTypes -H "Authorization: Bearer $BADGE_API_KEY" -F assetFile=@design.png -F name=\'Our design\'`',
        ),
        params: CommunityParams,
        body: { content: { 'multipart/form-data': { schema: NftTypeForm } } },
        response: {
          201: jsonResponse('The NFT type that was created.', CreatedNftType),
          ...problemResponses(
            ...PATH_ERRORS,
            'NftTypeExists',
            'NftTypeLimitReached',
            'StorageQuotaReached',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { communityId } = request.params;
      const caller = callerOf(request);
      await checkMayCreateNftType(context, caller, communityId);
      const { uploadDisk, writeConnections } = request.server.resources;
      const signal = clientSignal(reply);
      // The size of a chunked body is unknown, so it counts as the largest file.
      const bodyBytes = Number(request.headers['content-length'] ?? LIMITS.assetBytes);
      const permit = await uploadDisk.acquire(communityId, Math.min(bodyBytes, LIMITS.assetBytes), signal);
      try {
        const nftType = await withForm(request, (form) =>
          writeConnections.run(communityId, signal, () =>
            createNftType(context, caller, communityId, {
              ...form,
              recordResponse: responseRecorderOf(request),
            }),
          ),
        );
        return reply.code(201).send(nftType);
      } finally {
        permit.release();
      }
    },
  );
}
