import { EndMemberQuery, LIMITS, Member, Page, PageQuery, SetMemberBody } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { listMembers } from '../domain/members/list-members.ts';
import { removeMember } from '../domain/members/remove-member.ts';
import { setMember } from '../domain/members/set-member.ts';
import { callerOf } from '../http/auth.ts';
import { sendPage } from '../http/reads/send-page.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
} from './route.ts';

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
        description: 'Lists the members of a community, the oldest first.',
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
        description: paragraphs(
          'Adds a member, or changes its role. In mixed case, the EIP-55 checksum of the address must be right. The owners are the `adminAddresses` of the community, so each can also sign admin airdrops. The operator can add the first owner.',
          'If the new role is lower, the member loses what it has made and may no longer make, as when it is removed: the API keys above its role and, if it was an owner, its webhooks. With the role `viewer`, the invitations that it has queued are revoked, unless `keepMails=true`. A member cannot keep its own keys (403 `RoleNotAllowed`).',
        ),
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
        description: paragraphs(
          'A member can also remove itself, with its session. From the next request on, every process rejects the member with 403 `RoleNotAllowed`; its session stays valid, with one membership fewer. What it has made ends with it, in the same transaction:',
          '- **API keys** that it created, and those that were created with them, are revoked. With `keepApiKeys=true`, they go on as those of the caller: `createdBy` says so, and the audit log has an entry `keepApiKey`. **The member may still know them.** A member cannot keep its own keys.',
          '- **Webhooks** that it created, or whose URL or secret it set last, stop. `disabledReason` says why, and the audit log has an entry `disableWebhook`. An owner keeps one with a new secret, or deletes it.',
          '- **Invitations** that it has queued, also with these keys, are revoked. With `keepMails=true`, they are sent, and belong to the owner who sends the request. A member that removes itself cannot keep them.',
          'Before, look for the address in `createdBy` of the API keys and webhooks. Only the operator can remove the only owner.',
        ),
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
