import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import {
  Address,
  Choice,
  Nullable,
  PageQuery,
  Text,
  Timestamp,
  TokenId,
  UUID_PATTERN,
} from './field-types.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from './operation.ts';

const AuditAction = Choice([
  ...OPERATION_TYPES,
  'updateToken',
  'createNftType',
  'deleteNftType',
  'createCommunity',
  'updateCommunity',
  'createApiKey',
  'revokeApiKey',
  'keepApiKey',
  'createClaimLinks',
  'revokeClaimLink',
  'updateClaimLink',
  'createInvitations',
  'resendInvitation',
  'updateInvitation',
  'revokeInvitation',
  'cancelMails',
  'createReminders',
  'confirmReservation',
  'setRecipients',
  'updateRecipient',
  'setMember',
  'removeMember',
  'signBadge',
  'signAllowlistedAddress',
  'rotateIssuerKey',
  'createWebhook',
  'updateWebhook',
  'deleteWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'redeliverWebhook',
  'disableWebhook',
]);

/** An item of GET /v1/auditLog. */
export const AuditEntry = Type.Object(
  {
    auditEntryId: Type.Integer({
      minimum: 1,
      description:
        'Unique. Some numbers are not used. If writes overlap, the order of the ids can differ from the order of `recordedAtTimestamp`.',
    }),
    recordedAtTimestamp: Timestamp,
    actor: Choice(['apiKey', 'session', 'operator', 'signature', 'claimCode', 'email', 'service'], {
      description:
        "Who did it. `apiKey`: a community's key. `session`: a member who has signed in. `operator`: the operator's key. `signature`: a wallet with its signature, without a key. `claimCode`: somebody with the code of a claim link, without a key or a signature. `email`: somebody who has signed in by e-mail. `service`: the sandbox, when it creates the demo community and its key, and the service itself, when it disables a webhook whose receiver does not respond.",
    }),
    apiKeyId: Nullable(Type.String({ format: 'uuid', description: 'Null unless `actor` is `apiKey`.' })),
    address: Nullable({
      ...Address,
      description: 'The address of the member. Null unless `actor` is `session`.',
    }),
    action: AuditAction,
    communityId: Type.String(),
    resourceType: Choice([
      'operation',
      'token',
      'nftType',
      'community',
      'apiKey',
      'claimLink',
      'invitation',
      'recipient',
      'member',
      'webhook',
    ]),
    resourceId: Type.String({
      description:
        'The id of the resource that was created, changed or deleted. For `createClaimLinks`, `createInvitations`, `createReminders`, `setRecipients` and `signAllowlistedAddress`: the id of the token. For `signBadge`, `rotateIssuerKey`, `cancelMails` and an `import` with the command of the operator: the id of the community. For a member: its address. For `testWebhook` and `redeliverWebhook`: the id of the webhook.',
    }),
    reason: Nullable(
      Type.String({
        description: 'The `reason` of `revoke`, `reinstate` or `move`. Null for other actions.',
      }),
    ),
    apiKeyName: Nullable(
      Type.String({
        description:
          'The name of the key of `apiKeyId`. Null if `apiKeyId` is null, or if the reader may not list keys. This field and the next ones are not recorded: they say what is known when the log is read.',
      }),
    ),
    resourceName: Nullable(
      Type.String({
        description:
          'The name of the API key, webhook, NFT type or community. For a claim link, its `identifier`, or the e-mail address of its invitation; for an invitation or a recipient, its e-mail address. Null for anything else, if nothing is known any more, and for keys and webhooks if the reader may not list them.',
      }),
    ),
    tokenId: {
      ...Nullable(TokenId),
      description:
        'The token that the entry is about. Null if it is about none, and while the operation that creates it has not succeeded.',
    },
    headline: Nullable(Type.String({ description: 'The headline of this token.' })),
    ownerAddress: Nullable({
      ...Address,
      description:
        'The address that gets the token of a `claim` or an airdrop, or has it before a `burn`, `revoke`, `reinstate` or `move`. Null for other actions, and if it is not known any more.',
    }),
    toAddress: Nullable({
      ...Address,
      description: 'The address that gets the token of a `move`. Null for other actions.',
    }),
    operationStatus: Type.Unsafe<(typeof OPERATION_STATUSES)[number] | null>({
      type: ['string', 'null'],
      enum: [...OPERATION_STATUSES, null],
      description: 'The `status` of the operation. Null unless `resourceType` is `operation`.',
    }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** The query of GET /v1/auditLog. An entry must match all filters. */
export const AuditLogQuery = Type.Object({
  ...PageQuery.properties,
  communityId: Type.Optional(
    Text({ maxLength: LIMITS.idCharacters, description: 'Only entries of this community.' }),
  ),
  apiKeyId: Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: 'Only what was done with this key.' }),
  ),
  action: Type.Optional({ ...AuditAction, description: 'Only this action.' }),
  fromTimestamp: Type.Optional({ ...Timestamp, description: 'Only entries recorded at this time or later.' }),
  beforeTimestamp: Type.Optional({ ...Timestamp, description: 'Only entries recorded before this time.' }),
});
export type AuditLogQuery = Static<typeof AuditLogQuery>;
