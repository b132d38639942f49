import { BadgeImport, CommunityExport, ImportFields, ImportForm, LIMITS, NewExport } from '@badge/protocol';
import multipart from '@fastify/multipart';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { readExport, readImport } from '../domain/transfers/read-transfers.ts';
import { requestExport } from '../domain/transfers/request-export.ts';
import { checkMayImport, requestImport } from '../domain/transfers/request-import.ts';
import { findExportErrors, MAX_UNFINISHED } from '../domain/transfers/rules.ts';
import { takeExportDownload } from '../domain/transfers/take-download.ts';
import { callerOf } from '../http/auth.ts';
import { clientSignal } from '../http/client-signal.ts';
import { operationKeyOf } from '../http/idempotency/idempotency.ts';
import { sendPicture } from '../http/send-picture.ts';
import { createFormReader, FORM_OPTIONS } from '../http/upload-form.ts';
import {
  type App,
  acceptedResponse,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
  sendAccepted,
} from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound'] as const;
const BODY_ERRORS = ['EncryptionUnavailable', 'RateLimited', 'TooLarge', 'UnsupportedMediaType'] as const;
const tags = ['Exports and imports'];
const access = { access: 'community', role: 'owner' } as const;
const ExportId = Type.String({ description: 'The id of the export: the `resourceId` of its operation.' });
// Two pieces: one is sent while the next one is read.
const DOWNLOAD_BYTES = 512 * 1024;
const withForm = createFormReader({
  filePart: 'file',
  fields: ImportFields,
  maxFileBytes: LIMITS.importBytes,
});

export async function transferRoutes(app: App, context: Context): Promise<void> {
  app.post(
    '/communities/:communityId/exports',
    {
      config: { ...access, findBodyErrors: findExportErrors, usesWriteConnection: true },
      schema: {
        operationId: 'exportCommunity',
        tags,
        summary: 'Export a community',
        description: paragraphs(
          'Makes an archive of the community: a tar of its badges, who has them, their pictures and more, as [docs/archive.md](archive.md) describes it. Another installation imports it with the format `badge`. The operation succeeds as soon as the export waits for its turn; its `resourceId` is the id of the export. Read the export until its `status` is final.',
          `- **Limits.** Of one community, one export or import is done at a time, and ${MAX_UNFINISHED} may be unfinished; more are refused with 429. The files of the three latest exports are kept, each for 24 hours.`,
          '- **People.** What the archive says of people is personal data. With `encrypted`, only the identity of `recipientKey` can read it.',
        ),
        params: CommunityParams,
        body: NewExport,
        response: { 202: acceptedResponse, ...problemResponses(...PATH_ERRORS, ...BODY_ERRORS) },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const key = operationKeyOf(request);
      return sendAccepted(reply, await requestExport(context, callerOf(request), { ...params, body, key }));
    },
  );

  app.get(
    '/communities/:communityId/exports/:exportId',
    {
      config: access,
      schema: {
        operationId: 'readExport',
        tags,
        summary: 'Retrieve an export',
        description:
          'Returns how far an export has come, and when it is made, the URL of its file. The URL works for one download, without a key, also if the download breaks off: this call then returns another URL.',
        params: Type.Object({ ...CommunityParams.properties, exportId: ExportId }),
        response: {
          200: jsonResponse('The export.', CommunityExport),
          ...problemResponses(...PATH_ERRORS, 'ExportNotFound'),
        },
      },
    },
    async (request) => await readExport(context, callerOf(request), request.params),
  );

  app.get(
    '/communities/:communityId/imports/:importId',
    {
      config: access,
      schema: {
        operationId: 'readImport',
        tags,
        summary: 'Retrieve an import',
        description:
          'Returns how far an import has come, and what cannot be imported. The import can be read for 24 hours after it is done.',
        params: Type.Object({
          ...CommunityParams.properties,
          importId: Type.String({ description: 'The id of the import: the `resourceId` of its operation.' }),
        }),
        response: {
          200: jsonResponse('The import.', BadgeImport),
          ...problemResponses(...PATH_ERRORS, 'ImportNotFound'),
        },
      },
    },
    async (request) => await readImport(context, callerOf(request), request.params),
  );

  // The upload is in a Fastify scope of its own, because only this route accepts a form.
  await app.register(async (forms: App) => {
    forms.removeAllContentTypeParsers();
    await forms.register(multipart, FORM_OPTIONS);
    addImportRoute(forms, context);
  });
}

function addImportRoute(app: App, context: Context): void {
  // A body of another type is not read. The handler rejects the request.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.post(
    '/communities/:communityId/imports',
    {
      config: { ...access, isUpload: true, bodyTypes: ['multipart/form-data'] },
      // The handler reads and validates the form.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'importBadges',
        tags,
        summary: 'Import badges',
        description: paragraphs(
          'Imports the badges of another service, or of another community, from a file. The operation succeeds as soon as the import waits for its turn; its `resourceId` is the id of the import. Read the import until its `status` is final. [Moving](guides/move.md) says what each format is, and how to get its file.',
          '- **Whole lines.** A line is a badge, a person or a link. Each is imported whole or not at all; what cannot be imported is in `problems`, and the rest is imported. What is there already is skipped, so an import can be repeated. A dry run says in `plan` what would happen, and changes nothing.',
          `- **Limits.** A file has at most 100 MiB; the operator imports a larger one with the command. An upload must finish within 120 seconds and must not pause for 15 seconds. Of one community, one export or import is done at a time, and ${MAX_UNFINISHED} may be unfinished; more are refused with 429. The file is stored encrypted, and is deleted when the import is done.`,
          '`curl $BADGE_URL/v1/communities/demo/imports -H "Authorization: Bearer $BADGE_API_KEY" -F file=@badges.csv -F format=csv -F isDryRun=true`',
        ),
        params: CommunityParams,
        body: { content: { 'multipart/form-data': { schema: ImportForm } } },
        response: { 202: acceptedResponse, ...problemResponses(...PATH_ERRORS, ...BODY_ERRORS) },
      },
    },
    async (request, reply) => {
      const { communityId } = request.params;
      const caller = callerOf(request);
      await checkMayImport(context, caller, communityId);
      const { uploadDisk, writeConnections } = request.server.resources;
      const signal = clientSignal(reply);
      // The size of a chunked body is unknown, so it counts as the largest file.
      const bodyBytes = Number(request.headers['content-length'] ?? LIMITS.importBytes);
      const permit = await uploadDisk.acquire(communityId, Math.min(bodyBytes, LIMITS.importBytes), signal);
      try {
        const key = operationKeyOf(request);
        const accepted = await withForm(request, (form) =>
          writeConnections.run(communityId, signal, () =>
            requestImport(context, caller, { communityId, ...form, key }),
          ),
        );
        return sendAccepted(reply, accepted);
      } finally {
        permit.release();
      }
    },
  );
}

/** The route of downloads, which is outside of /v1, because it needs no key. */
export function downloadRoutes(app: App, context: Context): void {
  app.get(
    '/exports/:exportId',
    {
      config: { access: 'public', isRateLimitDocumented: true },
      schema: {
        operationId: 'downloadExport',
        tags,
        summary: 'Download an export',
        description:
          'Returns the file of an export. The URL is `downloadUrl` of the export, and works once, in whichever process. `HEAD` returns the size, and does not use it.',
        params: Type.Object({ exportId: ExportId }),
        querystring: Type.Object({
          download: Type.Integer({ minimum: 0, description: 'How often the file was downloaded before.' }),
          expires: Type.Integer({ minimum: 0, description: 'When the URL expires, in milliseconds.' }),
          signature: Type.String({ description: 'The signature of the service.' }),
        }),
        response: {
          200: {
            description: 'The archive.',
            content: { 'application/x-tar': { schema: { type: 'string', contentEncoding: 'binary' } } },
          },
          ...problemResponses('InvalidRequest', 'ExportNotFound', 'DownloadEnded', 'EncryptionUnavailable'),
        },
      },
    },
    async (request, reply) => {
      const isUsed = request.method !== 'HEAD';
      const { name, sizeBytes, hash, read } = await takeExportDownload(context, {
        ...request.params,
        ...request.query,
        isUsed,
      });
      reply.header('Content-Disposition', `attachment; filename="${name}"`);
      return await sendPicture(request, reply, {
        hash,
        isImmutable: false,
        isPrivate: true,
        maxHeldBytes: DOWNLOAD_BYTES,
        open: async () => ({ contentType: 'application/x-tar', sizeBytes, read }),
      });
    },
  );
}
