import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Address, Nullable, OptionalOrNull, Text, Timestamp } from './field-types.ts';
import { OptionalRole, Role } from './member.ts';

/** The body of POST /v1/communities/:communityId/apiKeys. */
export const CreateApiKeyBody = Type.Object(
  {
    name: Text({ minLength: 1, maxLength: LIMITS.apiKeyNameCharacters }),
    role: OptionalRole,
    expiresAtTimestamp: OptionalOrNull({
      ...Timestamp,
      description: 'When the key expires. Must be in the future, so 0 is rejected. Default: never.',
    }),
  },
  { title: 'CreateApiKeyBody' },
);
export type CreateApiKeyBody = Static<typeof CreateApiKeyBody>;

/** An item of GET /v1/communities/:communityId/apiKeys. */
export const ApiKey = Type.Object(
  {
    apiKeyId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    prefix: Type.String({
      description: 'The first characters of the key, by which people can recognize it.',
    }),
    role: Role,
    createdBy: Nullable({
      ...Address,
      description:
        'The member who created the key, with a session or with a key of its own. Null if the operator created it.',
    }),
    createdAtTimestamp: Timestamp,
    expiresAtTimestamp: Nullable({ ...Timestamp, description: 'Null if the key does not expire.' }),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

/** The response of POST /v1/communities/:communityId/apiKeys. */
export const CreatedApiKey = Type.Object(
  { ...ApiKey.properties, apiKey: Type.String({ description: 'The key. It is returned only once.' }) },
  { title: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;
