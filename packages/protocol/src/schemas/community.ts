import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Environment } from './environment.ts';
import { Address, ChainId, CUSTOM_ID_PATTERN, OptionalOrNull, Text } from './field-types.ts';

/** The public fields of a community. */
export const Community = Type.Object(
  {
    uniqId: Type.String({
      description:
        'The id of the community, which the API calls `communityId`. Case-sensitive. It never changes.',
    }),
    displayId: Type.String({ description: 'A short name, which can change.' }),
    name: Type.String(),
    description: Type.String(),
    logoUrl: Type.String({ format: 'uri' }),
  },
  { title: 'Community' },
);
export type Community = Static<typeof Community>;

const ReminderDays = (description: string) =>
  Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), { maxItems: 3, uniqueItems: true, description });

/** When a community reminds people by itself. */
export const ReminderSettings = Type.Object(
  {
    unclaimedAfterDays: ReminderDays(
      'So many days after an invitation was sent, who has not claimed is reminded. At most three.',
    ),
    beforeExpiryDays: ReminderDays('So many days before a badge ends, its owner is told. At most three.'),
  },
  { title: 'ReminderSettings' },
);
export type ReminderSettings = Static<typeof ReminderSettings>;

/** A community with the addresses of its admins, as the operator sees it. */
export const CommunityWithAdmins = Type.Object(
  {
    ...Community.properties,
    adminAddresses: Type.Array(Address),
    contractWalletChainId: {
      ...ChainId,
      description: 'The chain on which the contract wallets are that sign for this community.',
    },
    reminders: ReminderSettings,
  },
  { title: 'CommunityWithAdmins' },
);
export type CommunityWithAdmins = Static<typeof CommunityWithAdmins>;

const DisplayId = Text({ minLength: 1, maxLength: LIMITS.idCharacters });
const Name = Text({ minLength: 1, maxLength: LIMITS.communityNameCharacters });

const optionalFields = {
  description: OptionalOrNull(Text({ maxLength: LIMITS.communityDescriptionCharacters })),
  logoUrl: OptionalOrNull(
    Text({
      maxLength: LIMITS.logoUrlCharacters,
      description:
        'An http or https URL, in visible ASCII characters. Default: the URL of the default logo, which the service provides.',
    }),
  ),
  adminAddresses: OptionalOrNull(
    Type.Array(Address, {
      maxItems: LIMITS.adminAddresses,
      description:
        'The owners, who can also sign admin airdrops. Equal ones count once, and the order is kept. An address in mixed case must have a valid EIP-55 checksum.',
    }),
  ),
};

/** The body of POST /v1/communities. */
export const CreateCommunityBody = Type.Object(
  {
    uniqId: OptionalOrNull(
      Type.String({
        pattern: CUSTOM_ID_PATTERN,
        description: 'The id of the community, case-sensitive. Default: a UUID.',
      }),
    ),
    displayId: DisplayId,
    name: Name,
    ...optionalFields,
  },
  { title: 'CreateCommunityBody' },
);
export type CreateCommunityBody = Static<typeof CreateCommunityBody>;

/**
 * The body of PATCH /v1/communities/:communityId. Absent fields do not change; null resets an optional field.
 */
export const UpdateCommunityBody = Type.Object(
  {
    uniqId: Type.Optional(
      Type.String({ description: 'Cannot be changed. If it is sent, it must be the one in the path.' }),
    ),
    displayId: Type.Optional(DisplayId),
    name: Type.Optional(Name),
    ...optionalFields,
    contractWalletChainId: OptionalOrNull({
      ...ChainId,
      description:
        'The chain on which the contract wallets are that sign for this community. Default: the chain of the signing domain.',
    }),
    reminders: Type.Optional(ReminderSettings),
    hasManagedCreator: OptionalOrNull(
      Type.Boolean({
        description:
          'Whether the service keeps a key for the community, which signs in the place of a wallet. Default: false.',
      }),
    ),
  },
  { title: 'UpdateCommunityBody', additionalProperties: false },
);
export type UpdateCommunityBody = Static<typeof UpdateCommunityBody>;

/** The response of GET /v1/communities/:communityId/configuration. */
export const CommunityConfiguration = Type.Object(
  {
    communityId: Type.String(),
    ...Environment.properties,
    adminAddresses: Type.Array(Address),
    contractWalletChainId: CommunityWithAdmins.properties.contractWalletChainId,
    reminders: ReminderSettings,
    limits: Type.Record(Type.String(), Type.Integer(), {
      description: 'The limits of the API by name, such as those of bodies, texts, uploads and lists.',
    }),
    reservedAttributeNames: Type.Array(Type.String(), {
      description:
        'The names that a custom attribute cannot have, compared after trimming. Upper and lower case are equal.',
    }),
  },
  { title: 'CommunityConfiguration' },
);
export type CommunityConfiguration = Static<typeof CommunityConfiguration>;
