import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { OPERATION_TYPES } from './operation.ts';
import { Choice, Nullable, PageQuery, Text, Timestamp } from './shared.ts';

const AuditAction = Choice([
  ...OPERATION_TYPES,
  'updateToken',
  'createNftType',
  'deleteNftType',
  'createCommunity',
  'updateCommunity',
  'createApiKey',
  'revokeApiKey',
]);

/** An item of GET /v1/auditLog. */
export const AuditEntry = Type.Object(
  {
    auditEntryId: Type.Integer({
      minimum: 1,
      description: 'Unique and rising; some numbers are never used.',
    }),
    recordedAtTimestamp: Timestamp,
    actor: Choice(['apiKey', 'operator', 'signature', 'service'], {
      description:
        "A community's key, the operator's, a wallet by its signature alone, or the service itself at its first start.",
    }),
    apiKeyId: Nullable(
      Type.String({ format: 'uuid', description: "Null unless the actor is a community's key." }),
    ),
    action: AuditAction,
    communityId: Type.String(),
    resourceType: Choice(['operation', 'token', 'nftType', 'community', 'apiKey']),
    resourceId: Type.String({ description: 'The id of what was made or changed, of the type beside it.' }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** The query of GET /v1/auditLog; all filters must hold. */
export const AuditLogQuery = Type.Object({
  ...PageQuery.properties,
  communityId: Type.Optional(Text({ maxLength: LIMITS.idCharacters })),
  apiKeyId: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })),
  action: Type.Optional(AuditAction),
  fromTimestamp: Type.Optional({ ...Timestamp, description: 'Recorded then or later.' }),
  beforeTimestamp: Type.Optional({ ...Timestamp, description: 'Recorded earlier.' }),
});
export type AuditLogQuery = Static<typeof AuditLogQuery>;
