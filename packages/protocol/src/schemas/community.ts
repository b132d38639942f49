import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Environment } from './environment.ts';
import { Address, OptionalOrNull, Text } from './shared.ts';

/** The community object (spec 2.4): five strings, never null. */
export const Community = Type.Object(
  {
    uniqId: Type.String(),
    displayId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    logoUrl: Type.String({ format: 'uri' }),
  },
  { title: 'Community' },
);
export type Community = Static<typeof Community>;

/** The community object as the operator sees it: with its admins. */
export const ManagedCommunity = Type.Object(
  { ...Community.properties, adminAddresses: Type.Array(Address) },
  { title: 'ManagedCommunity' },
);
export type ManagedCommunity = Static<typeof ManagedCommunity>;

const DisplayId = Text({ minLength: 1, maxLength: LIMITS.idCharacters });
const Name = Text({ minLength: 1, maxLength: LIMITS.communityNameCharacters });

const optionalFields = {
  description: OptionalOrNull(Text({ maxLength: LIMITS.communityDescriptionCharacters })),
  logoUrl: OptionalOrNull(
    Text({
      maxLength: LIMITS.logoUrlCharacters,
      description: 'An http or https URL. Null: a logo that the service serves.',
    }),
  ),
  adminAddresses: OptionalOrNull(
    Type.Array(Address, {
      maxItems: LIMITS.adminAddresses,
      description: 'Who may sign admin airdrops. In mixed case the EIP-55 checksum must be right.',
    }),
  ),
};

/** The body of POST /v1/communities. */
export const CreateCommunityBody = Type.Object(
  {
    uniqId: OptionalOrNull(
      Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Case-sensitive. Absent: a UUID.' }),
    ),
    displayId: DisplayId,
    name: Name,
    ...optionalFields,
  },
  { title: 'CreateCommunityBody' },
);
export type CreateCommunityBody = Static<typeof CreateCommunityBody>;

/** The body of PATCH /v1/communities/:communityId: any of the fields, null resetting an optional one. */
export const UpdateCommunityBody = Type.Object(
  { displayId: Type.Optional(DisplayId), name: Type.Optional(Name), ...optionalFields },
  { title: 'UpdateCommunityBody' },
);
export type UpdateCommunityBody = Static<typeof UpdateCommunityBody>;

/** GET /v1/communities/:communityId/configuration: what a community's own software needs to know. */
export const CommunityConfiguration = Type.Object(
  {
    communityId: Type.String(),
    ...Environment.properties,
    adminAddresses: Type.Array(Address),
    limits: Type.Record(Type.String(), Type.Integer(), {
      description: 'The most that bodies, texts and listings may hold, by name.',
    }),
  },
  { title: 'CommunityConfiguration' },
);
export type CommunityConfiguration = Static<typeof CommunityConfiguration>;
