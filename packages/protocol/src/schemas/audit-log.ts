import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { OPERATION_TYPES } from './operation.ts';
import { Address, Choice, Nullable, PageQuery, Text, Timestamp, UUID_PATTERN } from './shared.ts';

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
  'revokeInvitation',
  'cancelMails',
  'confirmReservation',
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
    actor: Choice(['apiKey', 'session', 'operator', 'signature', 'claimCode', 'service'], {
      description:
        "Who did it. `apiKey`: a community's key. `session`: a member who has signed in. `operator`: the operator's key. `signature`: a wallet with its signature, without a key. `claimCode`: somebody with the code of a claim link, without a key or a signature. `service`: the sandbox, when it creates the demo community and its key, and the service itself, when it disables a webhook whose receiver does not respond.",
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
      'member',
      'webhook',
    ]),
    resourceId: Type.String({
      description:
        'The id of the resource that was created, changed or deleted. For `createClaimLinks`, `createInvitations` and `signAllowlistedAddress`: the id of the token. For `signBadge`, `rotateIssuerKey` and `cancelMails`: the id of the community. For a member: its address. For `testWebhook` and `redeliverWebhook`: the id of the webhook.',
    }),
    reason: Nullable(
      Type.String({
        description: 'The `reason` of `revoke`, `reinstate` or `move`. Null for other actions.',
      }),
    ),
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
