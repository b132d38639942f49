import { AddedNftType, LIMITS, NftType, NftTypeForm, Page, PageQuery } from '@badge/protocol';
import multipart from '@fastify/multipart';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { checkMayCreateNftType, createNftType } from '../../domain/nft-types/create-nft-type.ts';
import { deleteNftType } from '../../domain/nft-types/delete-nft-type.ts';
import { listNftTypes } from '../../domain/nft-types/list-nft-types.ts';
import { callerOf } from '../auth.ts';
import { FORM_OPTIONS, withNftTypeForm } from '../nft-type-form.ts';
import { type App, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound'] as const;

export async function nftTypeRoutes(app: App, context: Context): Promise<void> {
  app.get(
    '/communities/:communityId/nftTypes',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'listNftTypes',
        tags: ['NFT types'],
        summary: "List a community's NFT types",
        description: 'The built-in ones, then those that the community has added, newest first.',
        params: Type.Object({ communityId: Type.String() }),
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of NFT types, the built-in ones first.', Page(NftType)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const { communityId } = request.params;
      return {
        limit,
        offset,
        data: await listNftTypes(context, callerOf(request), communityId, { limit, offset }),
      };
    },
  );

  app.delete(
    '/communities/:communityId/nftTypes/:nftTypeId',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'deleteNftType',
        tags: ['NFT types'],
        summary: 'Delete an NFT type that the community added',
        description:
          'No new token may use it, and its id is not given again; tokens that use it, or were accepted with it, keep their image.',
        params: Type.Object({ communityId: Type.String(), nftTypeId: Type.String() }),
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

  // A scope of its own: only here is a form a body.
  await app.register(async (forms: App) => {
    forms.removeAllContentTypeParsers();
    await forms.register(multipart, FORM_OPTIONS);
    addUploadRoute(forms, context);
  });
}

function addUploadRoute(app: App, context: Context): void {
  // Any other type comes to the handler unread, which says what is expected.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.post(
    '/communities/:communityId/nftTypes',
    {
      config: { access: 'community', isUpload: true },
      // The form is read and checked by the handler, part by part.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'createNftType',
        tags: ['NFT types'],
        summary: 'Add an NFT type',
        description:
          "An image or a video that tokens of the community are shown with, as it is. Key and community are checked before the body is read. Parts may come in any order; others are ignored, and so is the file's name.",
        params: Type.Object({ communityId: Type.String() }),
        body: { content: { 'multipart/form-data': { schema: NftTypeForm } } },
        response: {
          201: jsonResponse('The NFT type.', AddedNftType),
          ...problemResponses(
            ...PATH_ERRORS,
            'NftTypeExists',
            'NftTypeLimitReached',
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
      const nftType = await withNftTypeForm(request, (form) =>
        createNftType(context, caller, communityId, form),
      );
      return reply.code(201).send(nftType);
    },
  );
}
