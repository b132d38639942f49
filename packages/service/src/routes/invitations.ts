import {
  CancelledMails,
  CancelMailsBody,
  CreatedInvitations,
  CreateInvitationsBody,
  Invitation,
  InvitationsQuery,
  LIMITS,
  Mail,
  Page,
  PreviewInvitationBody,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { cancelMails } from '../domain/invitations/cancel-mails.ts';
import { createInvitations } from '../domain/invitations/create-invitations.ts';
import { listInvitations } from '../domain/invitations/list-invitations.ts';
import { readInvitationMail, readInvitationPreview } from '../domain/invitations/read-invitation-mail.ts';
import { resendInvitation } from '../domain/invitations/resend-invitation.ts';
import { revokeInvitation } from '../domain/invitations/revoke-invitation.ts';
import { findCancelErrors, findInvitationErrors, findPreviewErrors } from '../domain/invitations/rules.ts';
import { callerOf } from '../http/auth.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { renewalOf } from '../http/idempotency/idempotency.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { writeOf } from '../http/shares/write-connections.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  problemResponses,
  SIGNATURE_ERRORS,
  TokenParams,
} from './route.ts';

// Each request of this route counts as 10 requests, because each can create 1,000 links. A request for each started 100.
const COUNTED_ITEMS = 1_000;

const InvitationParams = Type.Object({
  ...TokenParams.properties,
  invitationId: Type.String({ description: 'The id of the invitation.' }),
});

const PATH_ERRORS = [...KEY_ERRORS, 'TokenNotFound'] as const;

export function invitationRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/invitations',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findInvitationErrors(body, Date.now()),
        idempotency: 'renew',
        countCreatedItems: () => COUNTED_ITEMS,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createInvitations',
        tags: ['Invitations'],
        summary: 'Invite people by e-mail',
        description:
          "Sends each recipient a mail with a claim link of its own. With `address`, the mail is for this address on the allowlist: it has no claim link, and adds no entry. The mails are sent in the background; the list of invitations says what has become of them. A recipient who is on the token's allowlist gets a link for this entry. Any other adds the entry `claimLink:ID` to the allowlist of an allowlisted token, which needs the `signature` of the token's creator. A recipient who has an invitation to the token keeps it, and gets no second mail. A person who has unsubscribed gets neither a mail nor a link. A repetition with the same `Idempotency-Key` returns the same invitations as they are now.",
        params: TokenParams,
        body: CreateInvitationsBody,
        response: {
          201: jsonResponse('The invitations, in the order of `recipients`.', CreatedInvitations),
          ...problemResponses(
            ...PATH_ERRORS,
            ...SIGNATURE_ERRORS,
            'NotSignedByCreator',
            'AllowlistMismatch',
            'RateLimited',
            'MailUnavailable',
            'ClaimLinkLimitReached',
            'StorageQuotaReached',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const renewal = renewalOf(request);
      const items = await createInvitations(context, callerOf(request), {
        tokenId: request.params.tokenId,
        body: request.body,
        renewal,
        runChainCalls: chainCallsOf(request, reply),
        runWrite: writeOf(request, reply),
      });
      if (renewal && renewal.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
      return reply.code(201).header('Cache-Control', 'no-store').send({ items });
    },
  );

  app.get(
    '/tokens/:tokenId/invitations',
    {
      config: { access: 'community', role: 'viewer' },
      schema: {
        operationId: 'listInvitations',
        tags: ['Invitations'],
        summary: "List a token's invitations",
        description: 'Lists the invitations of a token, with their addresses and without codes.',
        params: TokenParams,
        querystring: InvitationsQuery,
        response: {
          200: jsonResponse('A page of invitations, oldest first.', Page(Invitation)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, status } = request.query;
      const page = { limit, offset };
      reply.header('Cache-Control', 'no-store');
      return await sendPage(request, reply, page, (reader) =>
        listInvitations(context, reader, callerOf(request), request.params.tokenId, { ...page, status }),
      );
    },
  );

  app.post(
    '/tokens/:tokenId/invitations/preview',
    {
      config: {
        access: 'community',
        role: 'issuer',
        idempotency: 'ignore',
        findBodyErrors: findPreviewErrors,
      },
      schema: {
        operationId: 'previewInvitation',
        tags: ['Invitations'],
        summary: 'Preview an invitation',
        description: 'Returns the mail that a person would get, with an example of a link. Sends nothing.',
        params: TokenParams,
        body: PreviewInvitationBody,
        response: {
          200: jsonResponse('The mail.', Mail),
          ...problemResponses(...PATH_ERRORS, 'MailUnavailable', 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      reply.header('Cache-Control', 'no-store');
      return await readInvitationPreview(context, callerOf(request), { tokenId: params.tokenId, body });
    },
  );

  // Otherwise `preview` would be read as the id of an invitation.
  app.route({
    method: ['GET', 'DELETE'],
    url: '/tokens/:tokenId/invitations/preview',
    config: { access: 'public', isMethodRejected: true },
    schema: { hide: true },
    handler: () => undefined,
  });

  app.get(
    '/tokens/:tokenId/invitations/:invitationId/mail',
    {
      // The mail contains the code, so the role is the one that may create links.
      config: { access: 'community', role: 'issuer' },
      schema: {
        operationId: 'readInvitationMail',
        tags: ['Invitations'],
        summary: 'Retrieve the mail of an invitation',
        description:
          'Only in a sandbox without a mail server, which keeps the last 500 mails instead of sending them. Elsewhere, there is no such mail.',
        params: InvitationParams,
        response: {
          200: jsonResponse('The last mail of the invitation.', Mail),
          ...problemResponses(...PATH_ERRORS, 'InvitationNotFound'),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return await readInvitationMail(context, callerOf(request), request.params);
    },
  );

  app.post(
    '/tokens/:tokenId/invitations/:invitationId/resend',
    {
      config: { access: 'community', role: 'issuer', idempotency: 'renew', sharesWriteConnections: true },
      schema: {
        operationId: 'resendInvitation',
        tags: ['Invitations'],
        summary: 'Send an invitation again',
        description:
          'Queues another mail, with a new link. The old link is revoked at once, also in the mail that was sent before. A mailbox gets at most 3 mails in 24 hours by which invitations are sent again.',
        params: InvitationParams,
        response: {
          202: jsonResponse('The invitation, queued.', Invitation),
          ...problemResponses(
            ...PATH_ERRORS,
            'InvitationNotFound',
            'InvitationEnded',
            'RateLimited',
            'MailUnavailable',
            'ClaimLinkLimitReached',
            'StorageQuotaReached',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const renewal = renewalOf(request);
      const invitation = await resendInvitation(context, callerOf(request), { ...request.params, renewal });
      if (renewal && renewal.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
      return reply.code(202).header('Cache-Control', 'no-store').send(invitation);
    },
  );

  app.delete(
    '/tokens/:tokenId/invitations/:invitationId',
    {
      config: { access: 'community', role: 'issuer' },
      schema: {
        operationId: 'revokeInvitation',
        tags: ['Invitations'],
        summary: 'Revoke an invitation',
        description:
          'Revokes the invitation and its link. If its mail is still queued, it is not sent. If the link added an entry to the allowlist, the entry is removed.',
        params: InvitationParams,
        response: {
          204: { description: 'Revoked, now or before.', type: 'null' },
          ...problemResponses(
            ...PATH_ERRORS,
            'InvitationNotFound',
            'ClaimCodeUsed',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      await revokeInvitation(context, callerOf(request), request.params);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/communities/:communityId/cancelMails',
    {
      config: {
        access: 'community',
        role: 'issuer',
        idempotency: 'ignore',
        sharesWriteConnections: true,
        findBodyErrors: findCancelErrors,
      },
      schema: {
        operationId: 'cancelMails',
        tags: ['Invitations'],
        summary: 'Cancel queued mails',
        description:
          'Revokes the invitations whose mails are queued and that match each given field, with their links, as a revocation of each does. At least one field is required.',
        params: CommunityParams,
        body: CancelMailsBody,
        response: {
          200: jsonResponse('How many invitations were revoked.', CancelledMails),
          ...problemResponses(
            ...KEY_ERRORS,
            'CommunityNotFound',
            'TokenNotFound',
            'MailUnavailable',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { communityId } = request.params;
      const { body } = request;
      const cancelledCount = await cancelMails(context, callerOf(request), { communityId, body });
      return reply.header('Cache-Control', 'no-store').send({ cancelledCount });
    },
  );
}
