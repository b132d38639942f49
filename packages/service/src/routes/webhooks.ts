import {
  CreateWebhookBody,
  LIMITS,
  Page,
  PageQuery,
  QueuedWebhookDelivery,
  UpdateWebhookBody,
  Webhook,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookWithSecret,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { createWebhook } from '../domain/webhooks/create-webhook.ts';
import { deleteWebhook } from '../domain/webhooks/delete-webhook.ts';
import { listWebhookDeliveries } from '../domain/webhooks/list-webhook-deliveries.ts';
import { listWebhooks } from '../domain/webhooks/list-webhooks.ts';
import { queueDelivery } from '../domain/webhooks/queue-delivery.ts';
import { rotateWebhookSecret } from '../domain/webhooks/rotate-webhook-secret.ts';
import { findWebhookUrlErrors } from '../domain/webhooks/rules.ts';
import { updateWebhook } from '../domain/webhooks/update-webhook.ts';
import { callerOf } from '../http/auth.ts';
import { renewalOf, responseRecorderOf } from '../http/idempotency/idempotency.ts';
import { sendPage, sendPageInPieces } from '../http/reads/send-page.ts';
import { type App, CommunityParams, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound'] as const;
const WEBHOOK_ERRORS = [...PATH_ERRORS, 'WebhookNotFound'] as const;
const BODY_ERRORS = ['TooLarge', 'UnsupportedMediaType'] as const;
const WebhookParams = Type.Object({
  ...CommunityParams.properties,
  webhookId: Type.String({ description: 'The id of the webhook.' }),
});
const tags = ['Webhooks'];
const access = { access: 'community', role: 'owner' } as const;

export function webhookRoutes(app: App, context: Context): void {
  const findBodyErrors = (body: unknown) => findWebhookUrlErrors(body, context.webhookSender);

  app.post(
    '/communities/:communityId/webhooks',
    {
      config: { ...access, findBodyErrors, idempotency: 'renew', sharesWriteConnections: true },
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Create a webhook',
        description:
          'Requires the role `owner`. From then on, the events of the community are sent to `url`. `secret` is returned only once, and to a repetition with the same `Idempotency-Key` while the webhook has this secret and this maker; after that, the repetition is refused with `SecretNotRepeated`.',
        params: CommunityParams,
        body: CreateWebhookBody,
        response: {
          201: jsonResponse('The webhook that was created, with its secret.', WebhookWithSecret),
          ...problemResponses(
            ...WEBHOOK_ERRORS,
            ...BODY_ERRORS,
            'EncryptionUnavailable',
            'SecretNotRepeated',
            'WebhookLimitReached',
          ),
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const renewal = renewalOf(request);
      const created = await createWebhook(context, callerOf(request), { ...params, body, renewal });
      if (renewal && renewal.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
      return reply.code(201).header('Cache-Control', 'no-store').send(created);
    },
  );

  app.get(
    '/communities/:communityId/webhooks',
    {
      config: access,
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: "List a community's webhooks",
        description: 'Requires the role `owner`.',
        params: CommunityParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of webhooks, oldest first.', Page(Webhook)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listWebhooks(context, reader, callerOf(request), { ...request.params, ...page }),
      );
    },
  );

  app.patch(
    '/communities/:communityId/webhooks/:webhookId',
    {
      config: { ...access, findBodyErrors },
      schema: {
        operationId: 'updateWebhook',
        tags,
        summary: 'Change, disable or enable a webhook',
        description:
          'Requires the role `owner`. Fields that are left out do not change. Who changes `url` is the maker of the webhook from then on. A webhook that is enabled again is also sent what was still to be sent when it was disabled.',
        params: WebhookParams,
        body: UpdateWebhookBody,
        response: {
          200: jsonResponse('The webhook.', Webhook),
          ...problemResponses(...WEBHOOK_ERRORS, ...BODY_ERRORS, 'EncryptionUnavailable', 'WebhookDisabled'),
        },
      },
    },
    async (request) => {
      const { params, body } = request;
      return await updateWebhook(context, callerOf(request), { ...params, body });
    },
  );

  app.delete(
    '/communities/:communityId/webhooks/:webhookId',
    {
      config: access,
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook',
        description: 'Requires the role `owner`. Its secrets and its deliveries are deleted too.',
        params: WebhookParams,
        response: {
          204: { description: 'Deleted.', type: 'null' },
          ...problemResponses(...WEBHOOK_ERRORS, ...BODY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      await deleteWebhook(context, callerOf(request), request.params);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/communities/:communityId/webhooks/:webhookId/rotateSecret',
    {
      config: { ...access, idempotency: 'renew', sharesWriteConnections: true },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Give a webhook a new secret',
        description:
          'Requires the role `owner`. For 24 hours, requests are signed with both secrets. The caller is the maker of the webhook from then on, so a webhook that has stopped because its maker left goes on. `secret` is returned only once, and to a repetition with the same `Idempotency-Key`, which does not rotate again, while the webhook has this secret and this maker; after that, the repetition is refused with `SecretNotRepeated`.',
        params: WebhookParams,
        response: {
          200: jsonResponse('The webhook, with its new secret.', WebhookWithSecret),
          ...problemResponses(
            ...WEBHOOK_ERRORS,
            ...BODY_ERRORS,
            'EncryptionUnavailable',
            'SecretNotRepeated',
          ),
        },
      },
    },
    async (request, reply) => {
      const renewal = renewalOf(request);
      const rotated = await rotateWebhookSecret(context, callerOf(request), { ...request.params, renewal });
      if (renewal && renewal.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
      return reply.header('Cache-Control', 'no-store').send(rotated);
    },
  );

  app.post(
    '/communities/:communityId/webhooks/:webhookId/test',
    {
      config: { ...access, idempotency: 'lock', sharesWriteConnections: true },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a test event to a webhook',
        description:
          'Requires the role `owner`. Sends an event of the type `webhook.test` to this webhook only; it is not in the feed. The list of deliveries shows what came of it.',
        params: WebhookParams,
        response: {
          201: jsonResponse('The delivery that was added. It is sent soon.', QueuedWebhookDelivery),
          ...problemResponses(...WEBHOOK_ERRORS, ...BODY_ERRORS, 'WebhookDisabled'),
        },
      },
    },
    async (request, reply) => {
      const recordResponse = responseRecorderOf(request);
      const delivery = { ...request.params, of: 'test' as const, recordResponse };
      return reply.code(201).send(await queueDelivery(context, callerOf(request), delivery));
    },
  );

  app.get(
    '/communities/:communityId/webhooks/:webhookId/deliveries',
    {
      config: access,
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List the deliveries of a webhook',
        description: 'Requires the role `owner`. Deliveries are kept for 30 days.',
        params: WebhookParams,
        querystring: WebhookDeliveriesQuery,
        response: {
          200: jsonResponse('A page of deliveries, newest first.', Page(WebhookDelivery)),
          ...problemResponses(...WEBHOOK_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, status } = request.query;
      const page = { limit, offset };
      return await sendPageInPieces(request, reply, page, (reader) =>
        listWebhookDeliveries(context, reader, callerOf(request), { ...request.params, ...page, status }),
      );
    },
  );

  app.post(
    '/communities/:communityId/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    {
      config: { ...access, idempotency: 'lock', sharesWriteConnections: true },
      schema: {
        operationId: 'redeliverWebhook',
        tags,
        summary: 'Send the event of a delivery once more',
        description:
          'Requires the role `owner`. Adds a delivery of the same event, with the same `webhook-id`.',
        params: Type.Object({
          ...WebhookParams.properties,
          deliveryId: Type.String({ description: 'The id of the earlier delivery.' }),
        }),
        response: {
          201: jsonResponse('The delivery that was added. It is sent soon.', QueuedWebhookDelivery),
          ...problemResponses(
            ...WEBHOOK_ERRORS,
            ...BODY_ERRORS,
            'WebhookDeliveryNotFound',
            'WebhookDisabled',
          ),
        },
      },
    },
    async (request, reply) => {
      const { deliveryId, ...key } = request.params;
      const recordResponse = responseRecorderOf(request);
      const delivery = { ...key, of: { deliveryId }, recordResponse };
      return reply.code(201).send(await queueDelivery(context, callerOf(request), delivery));
    },
  );
}
