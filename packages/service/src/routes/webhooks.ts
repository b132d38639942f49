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
import { repetitionOf, responseRecorderOf } from '../http/idempotency/idempotency.ts';
import { sendPage, sendPageInPieces } from '../http/reads/send-page.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
} from './route.ts';

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
      config: { ...access, findBodyErrors, idempotency: 'repeat', usesWriteConnection: true },
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Create a webhook',
        description: paragraphs(
          'From then on, the events of the community are sent to `url`, each as a POST with the event as JSON, signed as [Standard Webhooks](https://www.standardwebhooks.com) says. `webhook-signature` is `v1,` and the HMAC-SHA-256, in base64, of `ID.TIMESTAMP.BODY`, with the bytes that the secret has after `whsec_` in base64; during a rotation, there are two with a space between them. `verifyWebhook()` of the SDK checks this, and that the request is at most 5 minutes old.',
          '- **At least once, in no order.** An event is sent until a response has a status from 200 to 299. Remember its `eventId`, because it can arrive twice. Use the feed if the order matters.',
          '- **Limits.** A response must be complete within 10 seconds; at most 64 KiB of it are read. A redirect counts as a failure.',
          '- **Retries.** A failed request is repeated after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours, each up to a tenth later. A `Retry-After` is honoured, up to an hour.',
          '- **A receiver that is not available**, because it does not respond or responds with 429, 502, 503 or 504, gets one request after a pause of 5 seconds, which grows to 5 minutes. Everything else waits until it responds.',
          '- **Disabled.** If no request has succeeded for three days, or as soon as a response has the status 410, the webhook is disabled; the audit log has an entry `disableWebhook`. Events that happen while it is disabled are never sent to it: read them from the feed. What was still to be sent is sent when it is enabled again, except for the event that was answered with 410: redeliver it.',
          '- **Its maker leaves.** When the member who made a webhook, or was the last to set its URL or its secret, is no longer an owner, nothing is sent to it any more. If one has set the URL and another one the secret, it stops when either leaves. Another owner keeps it with a new secret.',
          '- **Shares.** At most four requests are sent to one webhook at a time, and about 16 to those of one community.',
          '- **Where requests go.** Addresses that are not on the internet are refused, at each attempt and after the name was resolved with DNS: the special-purpose ranges of IANA, multicast, IPv4 addresses inside IPv6, and 168.63.129.16 of Azure. A host that nobody has and one that is refused have the same error, after the same time. The operator opens ranges with `BADGE_WEBHOOK_ALLOW`; in the sandbox, the machine itself is open. In production, the URL must begin with https, except for opened ranges. No proxy is used.',
          '- **Repetition.** With the same `Idempotency-Key`, the response has the same webhook as it is then, with the secret of the first request. If it has another secret or another maker since, the repetition is rejected with 409 `SecretNotRepeated`; if it was deleted, with 404 `WebhookNotFound`. The URL and the secret are stored encrypted. A community can have 20 webhooks.',
        ),
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
      const repetition = repetitionOf(request);
      const created = await createWebhook(context, callerOf(request), { ...params, body, repetition });
      if (repetition && repetition.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
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
        description: 'Lists the webhooks of a community, without their secrets.',
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
        description: paragraphs(
          'Fields that are left out do not change. A change applies to what is sent from then on, also to retries.',
          '- **`isEnabled`.** False: nothing is sent, and new events are not kept for this webhook. True: what was still to be sent is sent at once, also what waits for its next attempt, and earlier failures are forgotten. So true also ends the wait of a receiver that works again.',
          '- **`url`.** Who changes it is the maker from then on. The secret stays, so the webhook also stops when the member leaves who has made the secret. The present `url`, sent again, changes nothing.',
          '- 409 `WebhookDisabled`: it has stopped because its maker left. Give it a new secret instead.',
        ),
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
        description: 'Its URL and its secrets are deleted at once, its deliveries soon after.',
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
      config: { ...access, idempotency: 'repeat', usesWriteConnection: true },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Give a webhook a new secret',
        description:
          "For 24 hours, requests are signed with the new and the former secret, so that receivers can be changed one by one. A further rotation in this time ends the validity of the oldest one. The caller is the maker of the webhook from then on. It still stops when the member leaves who has set its URL, so read the URL before you keep it. If it has stopped because its maker left, it goes on, its URL counts as the caller's, and it gets what was still to be sent. A repetition with the same `Idempotency-Key` returns the secret that the first request has made; if the webhook has another secret or another maker since, the repetition is rejected with 409 `SecretNotRepeated`.",
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
      const repetition = repetitionOf(request);
      const rotated = await rotateWebhookSecret(context, callerOf(request), {
        ...request.params,
        repetition,
      });
      if (repetition && repetition.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
      return reply.header('Cache-Control', 'no-store').send(rotated);
    },
  );

  app.post(
    '/communities/:communityId/webhooks/:webhookId/test',
    {
      config: { ...access, idempotency: 'lock', usesWriteConnection: true },
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a test event to a webhook',
        description:
          'Sends an event of the type `webhook.test` to this webhook only, whatever `events` it has chosen. It is not in the feed. The list of deliveries shows what came of it.',
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
        description:
          'Lists what was sent to a webhook, the newest first. Headers, secrets and signatures are not kept. Deliveries are kept for 30 days.',
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
      config: { ...access, idempotency: 'lock', usesWriteConnection: true },
      schema: {
        operationId: 'redeliverWebhook',
        tags,
        summary: 'Send the event of a delivery once more',
        description:
          'Adds a delivery of the same event, with the same `webhook-id`. A receiver that remembers the ids may ignore it. An event of more than 30 days ago returns 404 `WebhookDeliveryNotFound`.',
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
