import { ConfirmResubscriptionBody, CreateResubscriptionBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { requestResubscription, resubscribe } from '../domain/invitations/resubscribe.ts';
import { findEmailBodyErrors } from '../domain/invitations/rules.ts';
import { nameAddress } from '../http/caller-names.ts';
import { type App, CommunityParams, EmptyObject, jsonResponse, problemResponses } from './route.ts';

const ERRORS = [
  'InvalidRequest',
  'CommunityNotFound',
  'MailUnavailable',
  'RateLimited',
  'TooLarge',
  'UnsupportedMediaType',
] as const;

export function resubscriptionRoutes(app: App, context: Context): void {
  app.post(
    '/communities/:communityId/resubscriptions',
    {
      config: {
        access: 'public',
        idempotency: 'ignore',
        findBodyErrors: findEmailBodyErrors,
      },
      schema: {
        operationId: 'createResubscription',
        tags: ['Invitations'],
        summary: 'Ask for a mail that undoes an unsubscription',
        description:
          'For a person who has unsubscribed, or was unsubscribed by somebody with a forwarded mail. The address gets a mail with a link to `PUBLIC_URL/unsubscribe?…&code=CODE` if it wants no mails of the community, or of any. The response is the same, and takes the same time, whether or not it does. A mailbox gets at most 3 mails a day for which strangers can ask, together with those of reservations; they count in the share of the community. A client address (IPv6: its /64) can send 200 requests an hour, together with those for reservations. The audit log has no entry.',
        params: CommunityParams,
        body: CreateResubscriptionBody,
        response: {
          202: jsonResponse('Accepted, whether or not a mail is sent.', EmptyObject),
          ...problemResponses(...ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { communityId } = request.params;
      const { email, language } = request.body;
      const client = nameAddress(request);
      await requestResubscription(context, { communityId, email, language: language ?? 'en', client });
      return reply.code(202).header('Cache-Control', 'no-store').send({});
    },
  );

  app.post(
    '/communities/:communityId/resubscriptions/confirm',
    {
      config: { access: 'public', idempotency: 'ignore' },
      schema: {
        operationId: 'confirmResubscription',
        tags: ['Invitations'],
        summary: 'Undo an unsubscription',
        description:
          'With the code of the mail, within an hour, for its community. The mailbox gets the mails of this community again, and is no longer unsubscribed from all. Other communities from which it has unsubscribed one by one stay so. An invitation that was `unsubscribed` brings no mail later; the address can be invited again. Confirming twice changes nothing.',
        params: CommunityParams,
        body: ConfirmResubscriptionBody,
        response: {
          200: jsonResponse('Undone, now or before.', EmptyObject),
          ...problemResponses(...ERRORS, 'ConfirmationCodeInvalid'),
        },
      },
    },
    async (request, reply) => {
      const { communityId } = request.params;
      await resubscribe(context, { communityId, code: request.body.confirmationCode });
      return reply.header('Cache-Control', 'no-store').send({});
    },
  );
}
