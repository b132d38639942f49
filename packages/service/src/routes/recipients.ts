import {
  LIMITS,
  Page,
  PageQuery,
  Recipient,
  RecipientHistoryEntry,
  RecipientsPage,
  RecipientsQuery,
  SetRecipients,
  SetRecipientsBody,
  UpdateRecipientBody,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { findContributorErrors } from '../domain/contributors/rules.ts';
import {
  listRecipients,
  readAllRecipients,
  readRecipientHistory,
} from '../domain/recipients/list-recipients.ts';
import { setRecipients, updateRecipient } from '../domain/recipients/name-recipients.ts';
import { findPersonErrors } from '../domain/recipients/rules.ts';
import { callerOf } from '../http/auth.ts';
import { isCsvWanted } from '../http/reads/is-csv-wanted.ts';
import { sendCsv } from '../http/reads/send-csv.ts';
import { sendObject, sendPage } from '../http/reads/send-page.ts';
import {
  type App,
  jsonResponse,
  KEY_ERRORS,
  listResponse,
  paragraphs,
  problemResponses,
  TokenParams,
} from './route.ts';

const RecipientParams = Type.Object({
  ...TokenParams.properties,
  recipientId: Type.String({ description: 'The id of the recipient.' }),
});

const PATH_ERRORS = [...KEY_ERRORS, 'TokenNotFound'] as const;
const WRITE_ERRORS = [
  ...PATH_ERRORS,
  'TokenReplaced',
  'EncryptionUnavailable',
  'TooLarge',
  'UnsupportedMediaType',
] as const;

const findItemErrors = (body: unknown) =>
  findContributorErrors((body as { items?: unknown } | null)?.items, {
    field: 'items',
    max: LIMITS.recipients,
    areNamed: true,
  });

export function recipientRoutes(app: App, context: Context): void {
  app.get(
    '/tokens/:tokenId/recipients',
    {
      config: { access: 'community', role: 'viewer', hasCsv: true },
      schema: {
        operationId: 'listRecipients',
        tags: ['Recipients'],
        summary: 'List recipients',
        description: paragraphs(
          'Lists the people to whom a token was given: one for each, whichever way it was. They are never public.',
          'Names, e-mails and notes are stored encrypted, so a search and the order by name decrypt all people of the token. Someone who claims with the code of a link, an invitation or a reservation stays one person, whose `address` is known from then on. If the community moves a token, the person follows it to the other address; the former address stays in the list as `moved`, without a name. An address that is on the list itself, and claims with another entry, is one person with it.',
          "The creator of an allowlisted token, who is on its list, is no recipient until it has claimed, or was added, named or invited. A contributor who is removed, and a link or an invitation that is revoked, take the person out of the list; a revoked invitation leaves somebody who is on the token's allowlist.",
        ),
        params: TokenParams,
        querystring: RecipientsQuery,
        response: {
          200: listResponse(
            'A page of people. A CSV file has all that match, in the order in which they were added.',
            RecipientsPage,
          ),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, ...query } = request.query;
      const { tokenId } = request.params;
      reply.header('Vary', 'Accept');
      if (isCsvWanted(request)) {
        const csv = {
          fileName: `token-${tokenId}-recipients.csv`,
          fields: Object.keys(Recipient.properties),
        };
        return await sendCsv(request, reply, csv, (reader) =>
          readAllRecipients(context, reader, callerOf(request), { ...query, tokenId }),
        );
      }
      return await sendObject(request, reply, async (reader) => ({
        limit,
        offset,
        ...(await listRecipients(context, reader, callerOf(request), { ...query, tokenId, limit, offset })),
      }));
    },
  );

  app.put(
    '/tokens/:tokenId/recipients',
    {
      config: { access: 'community', role: 'issuer', findBodyErrors: findItemErrors },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'setRecipients',
        tags: ['Recipients'],
        summary: 'Say who recipients are',
        description:
          'Says who entries of the allowlist and owners are. A field that is absent does not change; null removes what is known. If one of them is unknown, the response is 400 with its pointer, and nothing is written. The e-mail of somebody with an invitation cannot change before the invitation is revoked.',
        params: TokenParams,
        body: SetRecipientsBody,
        response: {
          200: jsonResponse('How many people were named.', SetRecipients),
          ...problemResponses(...WRITE_ERRORS),
        },
      },
    },
    async (request) => ({
      updated: await setRecipients(context, callerOf(request), {
        tokenId: request.params.tokenId,
        body: request.body,
      }),
    }),
  );

  app.patch(
    '/tokens/:tokenId/recipients/:recipientId',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findPersonErrors('', body),
      },
      schema: {
        operationId: 'updateRecipient',
        tags: ['Recipients'],
        summary: 'Update a recipient',
        description:
          'Changes what is known about a person. A field that is absent does not change; null removes what is known. The e-mail of somebody with an invitation cannot change before the invitation is revoked.',
        params: RecipientParams,
        body: UpdateRecipientBody,
        response: {
          200: jsonResponse('The person.', Recipient),
          ...problemResponses(...WRITE_ERRORS, 'RecipientNotFound'),
        },
      },
    },
    async (request) =>
      await updateRecipient(context, callerOf(request), { ...request.params, body: request.body }),
  );

  app.get(
    '/tokens/:tokenId/recipients/:recipientId/history',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'listRecipientHistory',
        tags: ['Recipients'],
        summary: 'List what happened to a recipient',
        description:
          'Lists what is known to have happened to a person, the oldest first. Of the mails of an invitation that was sent again, it has the last one.',
        params: RecipientParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of what happened.', Page(RecipientHistoryEntry)),
          ...problemResponses(...PATH_ERRORS, 'RecipientNotFound'),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        readRecipientHistory(context, reader, callerOf(request), { ...request.params, ...page }),
      );
    },
  );
}
