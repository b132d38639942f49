import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { EVENT_TYPES, type EventType } from './event.ts';
import { Address, Choice, Nullable, OptionalOrNull, PageQuery, Text, Timestamp } from './field-types.ts';

/** The types of events that a webhook can choose. A test event is sent whatever it has chosen. */
export type ChosenEventType = Exclude<EventType, 'webhook.test'>;
export const CHOSEN_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== 'webhook.test');

const url = Text({
  minLength: 1,
  maxLength: LIMITS.webhookUrlCharacters,
  description:
    'Where events are sent: an https URL without a user, a password and a fragment. In the sandbox, it may begin with http.',
  examples: ['https://example.org/badge-events'],
});
const name = Text({
  minLength: 1,
  maxLength: LIMITS.webhookNameCharacters,
  description: 'By which people recognize the webhook.',
});
const events = Type.Array(Choice(CHOSEN_EVENT_TYPES), {
  minItems: 1,
  uniqueItems: true,
  description: 'The types of events to send. Null: all, also those that a later release adds.',
  examples: [['badge.claimed']],
});
const secret = Type.String({
  description:
    'The secret with which requests are signed, as Standard Webhooks writes it: `whsec_…`. It is returned only once.',
});

/** The body of POST /v1/communities/:communityId/webhooks. */
export const CreateWebhookBody = Type.Object(
  { url, name, events: OptionalOrNull(events) },
  { title: 'CreateWebhookBody' },
);
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;

/** The body of PATCH /v1/communities/:communityId/webhooks/:webhookId. */
export const UpdateWebhookBody = Type.Object(
  {
    url: Type.Optional(url),
    name: Type.Optional(name),
    events: OptionalOrNull(events),
    isEnabled: Type.Optional(
      Type.Boolean({
        description:
          'False: no events are sent. True: also sends what was still to be sent when it was disabled.',
      }),
    ),
  },
  { title: 'UpdateWebhookBody', additionalProperties: false },
);
export type UpdateWebhookBody = Static<typeof UpdateWebhookBody>;

/** An item of GET /v1/communities/:communityId/webhooks. */
export const Webhook = Type.Object(
  {
    webhookId: Type.String({ format: 'uuid' }),
    url: Nullable(
      Type.String({
        format: 'uri',
        description:
          'Null if the service has not the key with which it was encrypted: change it, and rotate the secret.',
      }),
    ),
    name: Type.String(),
    events: Nullable(events),
    isEnabled: Type.Boolean(),
    disabledReason: Nullable(
      Type.String({ description: 'Why the service has disabled the webhook. Null if it has not.' }),
    ),
    failingSinceTimestamp: Nullable({
      ...Timestamp,
      description:
        'When the first request failed after the last one that succeeded. Null: the last one succeeded.',
    }),
    formerSecretExpiresAtTimestamp: Nullable({
      ...Timestamp,
      description:
        'Until then, requests are also signed with the secret before the last one. Null: there is none.',
    }),
    createdBy: Nullable({
      ...Address,
      description:
        'The member who made the webhook, or was the last to change its URL or its secret, with a session or with a key of its own. When this member, or who set the URL or made the secret, is no longer an owner, the webhook stops. Null: the operator, or unknown.',
    }),
    createdAtTimestamp: Timestamp,
  },
  { title: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

/** The response of POST …/webhooks, and of POST …/webhooks/:webhookId/rotateSecret. */
export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, secret },
  { title: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

const WebhookDeliveryStatus = Choice(['pending', 'delivered', 'failed']);
export type WebhookDeliveryStatus = Static<typeof WebhookDeliveryStatus>;

const WebhookAttempt = Type.Object(
  {
    attemptedAtTimestamp: Timestamp,
    durationMs: Type.Integer({ minimum: 0 }),
    responseStatus: Nullable(Type.Integer({ description: 'Null if there was no response.' })),
    error: Nullable(
      Type.String({
        description: 'Why there was no response, or its first 300 characters. Null if the attempt succeeded.',
      }),
    ),
  },
  { title: 'WebhookAttempt' },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** An item of GET …/webhooks/:webhookId/deliveries. */
export const WebhookDelivery = Type.Object(
  {
    deliveryId: Type.String({ format: 'uuid' }),
    eventId: Type.String({ format: 'uuid', description: 'The `webhook-id` of the requests.' }),
    eventType: Choice([...EVENT_TYPES]),
    status: {
      ...WebhookDeliveryStatus,
      description: '`pending`: it is sent, or retried. `failed`: it is not retried any more.',
    },
    attempts: Type.Array(WebhookAttempt, { description: 'The oldest first.' }),
    nextAttemptAtTimestamp: Nullable({
      ...Timestamp,
      description: 'The earliest time of the next attempt. Null unless `status` is `pending`.',
    }),
    createdAtTimestamp: Timestamp,
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** The query of GET …/webhooks/:webhookId/deliveries. */
export const WebhookDeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional({
    ...WebhookDeliveryStatus,
    description: 'Only deliveries with this status. Default: all.',
  }),
});
export type WebhookDeliveriesQuery = Static<typeof WebhookDeliveriesQuery>;

/** The response of POST …/webhooks/:webhookId/test, and of POST …/deliveries/:deliveryId/redeliver. */
export const QueuedWebhookDelivery = Type.Object(
  { deliveryId: Type.String({ format: 'uuid', description: 'The delivery that was added to the list.' }) },
  { title: 'QueuedWebhookDelivery' },
);
export type QueuedWebhookDelivery = Static<typeof QueuedWebhookDelivery>;
