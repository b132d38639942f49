import { EndMemberQuery, LIMITS, Member, Page, PageQuery, SetMemberBody } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { listMembers } from '../domain/members/list-members.ts';
import { removeMember } from '../domain/members/remove-member.ts';
import { setMember } from '../domain/members/set-member.ts';
import { callerOf } from '../http/auth.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { type App, CommunityParams, jsonResponse, KEY_ERRORS, problemResponses } from './route.ts';

const PATH_ERRORS = [...KEY_ERRORS, 'CommunityNotFound'] as const;
const MemberParams = Type.Object({
  ...CommunityParams.properties,
  address: Type.String({ description: 'The address of the member.' }),
});

export function memberRoutes(app: App, context: Context): void {
  app.get(
    '/communities/:communityId/members',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'listMembers',
        tags: ['Members'],
        summary: "List a community's members",
        description: 'Requires the role `viewer`.',
        params: CommunityParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of members, oldest first.', Page(Member)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listMembers(context, reader, callerOf(request), { ...request.params, ...page }),
      );
    },
  );

  app.put(
    '/communities/:communityId/members/:address',
    {
      config: { access: 'community', role: 'owner' },
      schema: {
        operationId: 'setMember',
        tags: ['Members'],
        summary: 'Add a member, or change its role',
        description:
          'Requires the role `owner`. If the new role is lower, the API keys that the member created above it are revoked, and the webhooks that it made as an owner stop. With the role `viewer`, the invitations that it has queued are revoked, unless `keepMails` is `true`. The owners are the `adminAddresses` of the community.',
        params: MemberParams,
        querystring: EndMemberQuery,
        body: SetMemberBody,
        response: {
          200: jsonResponse('The member, whose role was changed.', Member),
          201: jsonResponse('The member that was added.', Member),
          ...problemResponses(
            ...PATH_ERRORS,
            'LastOwner',
            'OwnerLimitReached',
            'MemberLimitReached',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { member, isNew } = await setMember(context, callerOf(request), {
        ...request.params,
        role: request.body.role,
        keepMails: request.query.keepMails === 'true',
        keepsApiKeys: request.query.keepApiKeys === 'true',
      });
      return reply.code(isNew ? 201 : 200).send(member);
    },
  );

  app.delete(
    '/communities/:communityId/members/:address',
    {
      config: { access: 'community', role: 'owner' },
      schema: {
        operationId: 'removeMember',
        tags: ['Members'],
        summary: 'Remove a member',
        description:
          'Requires the role `owner`, or the session of the member itself. The API keys that the member created are revoked, and the webhooks that it made stop. The invitations that it has queued are revoked, unless an owner sends `keepMails=true`.',
        params: MemberParams,
        querystring: EndMemberQuery,
        response: {
          204: { description: 'Removed.', type: 'null' },
          ...problemResponses(
            ...PATH_ERRORS,
            'MemberNotFound',
            'LastOwner',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { params, query } = request;
      await removeMember(context, callerOf(request), {
        ...params,
        keepsApiKeys: query.keepApiKeys === 'true',
        keepMails: query.keepMails === 'true',
      });
      return reply.code(204).send(null);
    },
  );
}
