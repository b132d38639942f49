import Type, { type Static } from 'typebox';
import { Address, Choice, Timestamp } from './field-types.ts';

/** The roles of members and API keys in a community. Each may do what the ones before it may do. */
export const ROLES = ['viewer', 'issuer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

const DESCRIPTION =
  '`viewer`: reads what needs a key. `issuer`: also gives existing badges. `editor`: also creates, changes and revokes. `owner`: also manages members, API keys and the profile of the community.';

export const Role = Choice([...ROLES], { description: DESCRIPTION });

/** The role in a body that may leave it out. */
export const OptionalRole = Type.Optional(
  Choice([...ROLES], { description: `${DESCRIPTION} Default: \`editor\`.` }),
);

/** A member of a community: an item of GET /v1/communities/:communityId/members. */
export const Member = Type.Object(
  { address: Address, role: Role, addedAtTimestamp: Timestamp },
  { title: 'Member' },
);
export type Member = Static<typeof Member>;

/** The query of calls that end the right of a member or of an API key. */
export const KeepMailsQuery = Type.Object({
  keepMails: Type.Optional(
    Choice(['true', 'false'], {
      description:
        'Whether invitations that were queued with the right that ends are sent nevertheless. Default: `false`: they are revoked.',
    }),
  ),
});

/** The query of PUT and DELETE /v1/communities/:communityId/members/:address. */
export const EndMemberQuery = Type.Object({
  ...KeepMailsQuery.properties,
  keepApiKeys: Type.Optional(
    Choice(['true', 'false'], {
      description:
        '`true`: the API keys that the member would lose go on, and are those of the caller from now on. The member may still know them. Refused if the caller is this member. Default: `false`.',
    }),
  ),
});
export type EndMemberQuery = Static<typeof EndMemberQuery>;

/** The body of PUT /v1/communities/:communityId/members/:address. */
export const SetMemberBody = Type.Object({ role: Role }, { title: 'SetMemberBody' });
export type SetMemberBody = Static<typeof SetMemberBody>;
