import {
  AddContributorsBody,
  Contributor,
  LIMITS,
  Page,
  PageQuery,
  RemoveContributorsBody,
} from '@badge/protocol';
import type { Context } from '../context.ts';
import { listContributors, readAllContributors } from '../domain/contributors/list-contributors.ts';
import { requestContributorRemoval } from '../domain/contributors/request-contributor-removal.ts';
import { requestContributors } from '../domain/contributors/request-contributors.ts';
import { findContributorErrors } from '../domain/contributors/rules.ts';
import { callerOf } from '../http/auth.ts';
import { isCsvWanted } from '../http/reads/is-csv-wanted.ts';
import { sendCsv } from '../http/reads/send-csv.ts';
import { sendPage } from '../http/reads/send-page.ts';
import {
  type App,
  KEY_ERRORS,
  listResponse,
  problemResponses,
  sendAccepted,
  TokenParams,
  tokenOperationSchema,
  tokenRequestOf,
} from './route.ts';

const contributorsOf = (body: unknown) => (body as { contributors?: unknown } | null)?.contributors;

export function contributorRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/addContributors',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findContributorErrors(contributorsOf(body), { areNamed: true }),
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: tokenOperationSchema({
        operationId: 'addContributors',
        summary: 'Add contributors',
        description:
          "Adds addresses and identifiers to the allowlist of an allowlisted token, with the signature of the token's creator (type `AllowlistedAddress`). Those that are already on it stay as they are; what an object says about one of them is kept.",
        body: AddContributorsBody,
        errors: [...KEY_ERRORS, 'NotSignedByCreator', 'AllowlistMismatch', 'EncryptionUnavailable'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestContributors(context, callerOf(request), tokenRequestOf(request, reply)),
      ),
  );

  app.post(
    '/tokens/:tokenId/removeContributors',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findContributorErrors(contributorsOf(body)),
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: tokenOperationSchema({
        operationId: 'removeContributors',
        summary: 'Remove contributors',
        description:
          'Removes addresses and identifiers that have not claimed from the allowlist of a token, and revokes their claim links and the mails for their wallets. An ENS name removes the addresses that were added with it. If one of them is not on the list or has claimed, the request is rejected with 400 and its pointer, and nothing is removed. If one claims meanwhile, the operation ends in `ContributorHasClaimed`, and nothing is removed. They can be added again; revoked links stay revoked. To remove an entry that a claim link has added, revoke the link.',
        body: RemoveContributorsBody,
        errors: [...KEY_ERRORS, 'AllowlistMismatch', 'ContributorHasClaimed'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestContributorRemoval(context, callerOf(request), tokenRequestOf(request, reply)),
      ),
  );

  app.get(
    '/tokens/:tokenId/contributors',
    {
      config: { access: 'community', role: 'viewer', hasCsv: true },
      schema: {
        operationId: 'listContributors',
        tags: ['Claims'],
        summary: 'List contributors',
        description: 'Lists the allowlist of a token. That of an open token is empty.',
        params: TokenParams,
        querystring: PageQuery,
        response: {
          200: listResponse(
            'A page of contributors, in the order in which they were added.',
            Page(Contributor),
          ),
          ...problemResponses(...KEY_ERRORS, 'TokenNotFound'),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const { tokenId } = request.params;
      reply.header('Vary', 'Accept');
      if (isCsvWanted(request)) {
        const csv = {
          fileName: `token-${tokenId}-contributors.csv`,
          fields: Object.keys(Contributor.properties),
        };
        return await sendCsv(request, reply, csv, (reader) =>
          readAllContributors(context, reader, callerOf(request), tokenId),
        );
      }
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listContributors(context, reader, callerOf(request), tokenId, page),
      );
    },
  );
}
