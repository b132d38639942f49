import Type, { type Static, type TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Address, Choice, Count, Nullable, Timestamp, TokenId } from './field-types.ts';
import { OPERATION_TYPES } from './operation.ts';

const Uuid = Type.String({ format: 'uuid' });
const claim = { operationId: Uuid, tokenId: TokenId, address: Address };
const change = { operationId: Uuid, tokenId: TokenId };

/** The `data` of each type of event: ids and public facts, never an e-mail address or a code. */
const EVENT_DATA = {
  'token.created': Type.Object(change),
  'token.updated': Type.Object({ tokenId: TokenId, isHidden: Type.Boolean() }),
  'token.replaced': Type.Object({
    ...change,
    replacementTokenId: { ...TokenId, description: 'The token that has replaced it.' },
    ownerCount: { ...Count, description: 'How many owners have the other token now.' },
  }),
  'badge.claimed': Type.Object({
    ...claim,
    claimLinkId: Nullable({ ...Uuid, description: 'The link whose code was sent. Null without a code.' }),
  }),
  'badge.burnt': Type.Object(claim),
  'badge.revoked': Type.Object(claim),
  'badge.reinstated': Type.Object(claim),
  'badge.moved': Type.Object({ ...claim, toAddress: Address }),
  'badge.renewed': Type.Object({
    ...claim,
    validUntilTimestamp: { ...Timestamp, description: 'When the badge of this address ends now.' },
  }),
  'badge.expired': Type.Object({
    tokenId: TokenId,
    address: Address,
    validUntilTimestamp: { ...Timestamp, description: 'When the badge of this address has ended.' },
  }),
  'contributors.added': Type.Object(change),
  'contributors.removed': Type.Object(change),
  'operation.failed': Type.Object({
    operationId: Uuid,
    operationType: Choice([...OPERATION_TYPES]),
    tokenId: { ...Nullable(TokenId), description: 'Null for `createToken`.' },
    error: Type.String({ description: 'The name of the error.' }),
  }),
  'invitation.sent': Type.Object({ invitationId: Uuid, tokenId: TokenId }),
  'invitation.failed': Type.Object({ invitationId: Uuid, tokenId: TokenId }),
  'webhook.test': Type.Object({ webhookId: Uuid }),
} satisfies Record<string, TSchema>;

export type EventType = keyof typeof EVENT_DATA;
export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

/** An item of GET /v1/communities/:communityId/events, and the body of a webhook's request. */
export type BadgeEvent = {
  [Name in EventType]: {
    eventId: string;
    type: Name;
    createdAtTimestamp: number;
    communityId: string;
    data: Static<(typeof EVENT_DATA)[Name]>;
  };
}[EventType];

/** The title of the schema of a type of events: `token.created` is `TokenCreatedEvent`. */
export function toEventTitle(type: EventType): string {
  return `${type.replaceAll(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Event`;
}

/** The schema of each type of events, in the order of `EVENT_TYPES`. */
export const EVENT_SCHEMAS = EVENT_TYPES.map((name) =>
  Type.Object(
    {
      eventId: Uuid,
      type: Type.Literal(name),
      createdAtTimestamp: { ...Timestamp, description: 'When it happened.' },
      communityId: Type.String(),
      data: EVENT_DATA[name],
    },
    { title: toEventTitle(name) },
  ),
);

export const BadgeEvent = Type.Unsafe<BadgeEvent>({
  title: 'BadgeEvent',
  anyOf: EVENT_SCHEMAS,
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      EVENT_TYPES.map((type) => [type, `#/components/schemas/${toEventTitle(type)}`]),
    ),
  },
});

/** The query of GET /v1/communities/:communityId/events. */
export const EventsQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: LIMITS.cursorCharacters,
      description:
        '`nextCursor` of the last response. Without it, the oldest event that is kept comes first. `end`: only what happens from now on.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.pageItems,
      default: LIMITS.defaultPageItems,
      description: 'The maximum number of events to return.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.waitSeconds,
      default: 0,
      description: 'If there is no event, waits up to this many seconds for one (long polling).',
    }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** The response of GET /v1/communities/:communityId/events. */
export const EventPage = Type.Object(
  {
    data: Type.Array(BadgeEvent),
    nextCursor: Type.String({ description: 'The `after` of the next request.' }),
    hasMore: Type.Boolean({ description: 'Whether there are more events now.' }),
  },
  { title: 'EventPage' },
);
export type EventPage = Static<typeof EventPage>;
