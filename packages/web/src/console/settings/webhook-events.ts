import type { Webhook, WebhookDelivery } from '@badge/sdk';

/** The types of events that a webhook can choose. */
export const CHOSEN_EVENTS = [
  'badge.claimed',
  'badge.revoked',
  'badge.reinstated',
  'badge.moved',
  'badge.burnt',
  'badge.renewed',
  'badge.expired',
  'token.created',
  'token.updated',
  'contributors.added',
  'contributors.removed',
  'invitation.sent',
  'invitation.failed',
  'operation.failed',
] as const satisfies readonly NonNullable<Webhook['events']>[number][];
export type ChosenEvent = (typeof CHOSEN_EVENTS)[number];

type EventType = WebhookDelivery['eventType'];
type MessageName<Type extends string> = Type extends `${infer Noun}.${infer Verb}`
  ? `${Noun}_${Verb}`
  : never;

/** The name of the message that says in words what an event means. A dot would be a level of the messages. */
export function messageOf<Type extends EventType>(type: Type): `webhooks.types.${MessageName<Type>}` {
  return `webhooks.types.${type.replace('.', '_') as MessageName<Type>}`;
}
