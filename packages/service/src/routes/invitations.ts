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
  UpdateInvitationBody,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { cancelMails } from '../domain/invitations/cancel-mails.ts';
import { createInvitations } from '../domain/invitations/create-invitations.ts';
import { listInvitations } from '../domain/invitations/list-invitations.ts';
import { readInvitationMail, readInvitationPreview } from '../domain/invitations/read-invitation-mail.ts';
import { resendInvitation } from '../domain/invitations/resend-invitation.ts';
import { revokeInvitation } from '../domain/invitations/revoke-invitation.ts';
import {
  findCancelErrors,
  findInvitationErrors,
  findPreviewErrors,
  findSendAtErrors,
} from '../domain/invitations/rules.ts';
import { updateInvitation } from '../domain/invitations/update-invitation.ts';
import { callerOf } from '../http/auth.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { repetitionOf } from '../http/idempotency/idempotency.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { writeOf } from '../http/shares/write-connections.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
  SIGNATURE_ERRORS,
  TokenParams,
} from './route.ts';

// Each request of this route counts as 10 requests, because each can create 1,000 links. A request for each
// started 100.
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
        idempotency: 'repeat',
        countCreatedItems: () => COUNTED_ITEMS,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createInvitations',
        tags: ['Invitations'],
        summary: 'Invite people by e-mail',
        description: paragraphs(
          'Sends each recipient a mail with a claim link of its own, or, with `address`, a mail that tells somebody that this wallet on the allowlist can claim. The mails are sent in the background; the list of invitations says what has become of them. The mail has the picture of the badge, a part as text and no remote content; nothing tells the service that it was opened.',
          "- **Allowlist.** A recipient whose e-mail is on the token's allowlist gets a link for this entry. Any other adds the entry `claimLink:ID`, which needs the `signature` of the token's creator. For a recipient who has claimed, or an `address` that is not on the allowlist or has an invitation for another e-mail, the request is rejected with 400, with `errors` for each, and nobody is invited.",
          '- **One invitation for an e-mail and a token.** A recipient who has one keeps it and gets no second mail, until it is revoked or its link has ended. Addresses that differ only in case, or in how their domain is written, are the same. A domain that mixes scripts, or whose Cyrillic or Greek letters look like Latin ones, is rejected.',
          '- **A mail for a wallet** has no claim link and adds no entry. Its button leads to `/claim/TOKEN`, and it shows the first and last digits of the address. It ends when the contributor is removed; revoking it leaves the wallet on the allowlist. A wallet has one such invitation for a token: it must fail, be revoked or have its e-mail erased before another e-mail is told.',
          '- **A later time.** With `sendAtTimestamp`, the invitations are `scheduled`, and nothing is sent before it. Until then, the time can be moved, and a revocation takes an invitation back. Whether somebody has unsubscribed or claimed, or the member who invites has lost the role, is checked when the mail is sent.',
          '- **Unsubscribed people** get neither a mail nor a link. A person can unsubscribe from the community, or from all.',
          '- **A mailbox** gets, over all communities, at most 3 mails in 24 hours by which an invitation is sent again, or by which it is invited again to the same token. If one has got too many, the request is rejected with 429, `errors` lists them, and nobody is invited. Addresses that differ only in case, in a tag (`ada+tag@…`) or, at Gmail, in dots are one mailbox.',
          '- **Shares.** A community can send as many mails an hour and a day as the operator allows (`BADGE_MAIL_LIMIT`; by default 500 and 2,000), and invitations four fifths of these; further ones stay `queued`. So they leave a fifth for mails that people outside of the community ask for.',
          "- **Rights.** What a member or an API key has queued is revoked when it loses the role, unless an owner keeps it with `keepMails=true`. The end of a key's time changes nothing.",
          '- **The mail server.** A mail that it refuses (5xx) is `failed`. One that it refuses for now (4xx) is tried again for 24 hours. If it cannot be reached, or refuses the password, mails stay `queued`. A mail is sent at least once: after a crash, it can arrive twice with the same `Message-ID`.',
          '- **Addresses** are stored encrypted, and erased 90 days after the mail was sent or has failed, or after the end of the link, at most one year and 90 days after the mail. If the community reminds people before their badges end, the address of somebody who has the badge is kept until it ends.',
          '- **Repetition.** With the same `Idempotency-Key`, the response has the same invitations, as they are now. Each request counts as 10 requests.',
        ),
        params: TokenParams,
        body: CreateInvitationsBody,
        response: {
          201: jsonResponse('The invitations, in the order of `recipients`.', CreatedInvitations),
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
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
      const repetition = repetitionOf(request);
      const items = await createInvitations(context, callerOf(request), {
        tokenId: request.params.tokenId,
        body: request.body,
        repetition,
        runChainCalls: chainCallsOf(request, reply),
        runWrite: writeOf(request, reply),
      });
      if (repetition && repetition.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
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
        description:
          'Returns the mail that a person would get, with an example of a link. With `address`, it is the mail for this wallet. Nothing is sent or stored.',
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
    method: ['GET', 'PATCH', 'DELETE'],
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
          'Only in a sandbox without a mail server, which keeps the last 500 mails instead of sending them. Elsewhere, and before the mail was "sent", the call returns 404 `InvitationNotFound`. The mail contains the code.',
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
      config: { access: 'community', role: 'issuer', idempotency: 'repeat', usesWriteConnection: true },
      schema: {
        operationId: 'resendInvitation',
        tags: ['Invitations'],
        summary: 'Send an invitation again',
        description:
          'Queues another mail with a new link. The old link is revoked at once, so the earlier mail is worth nothing. A mail for a wallet is sent again without a link. A mailbox gets at most 3 such mails in 24 hours; `Retry-After` of 429 says when it is possible again.',
        params: InvitationParams,
        response: {
          202: jsonResponse('The invitation, queued.', Invitation),
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
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
      const repetition = repetitionOf(request);
      const invitation = await resendInvitation(context, callerOf(request), {
        ...request.params,
        repetition,
      });
      if (repetition && repetition.earlierIds !== null) reply.header('Idempotency-Replayed', 'true');
      return reply.code(202).header('Cache-Control', 'no-store').send(invitation);
    },
  );

  app.patch(
    '/tokens/:tokenId/invitations/:invitationId',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findSendAtErrors(body, Date.now()),
      },
      schema: {
        operationId: 'updateInvitation',
        tags: ['Invitations'],
        summary: 'Move a scheduled invitation',
        description:
          'Moves the time at which a `scheduled` invitation is sent. Null sends it at once. If it does not wait for its time any more, the request is rejected with 409 `InvitationNotScheduled`.',
        params: InvitationParams,
        body: UpdateInvitationBody,
        response: {
          200: jsonResponse('The invitation.', Invitation),
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
            'InvitationNotFound',
            'InvitationNotScheduled',
            'MailUnavailable',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return await updateInvitation(context, callerOf(request), { ...request.params, body: request.body });
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
          'Revokes the invitation and its link. A queued or scheduled mail is not sent. An entry that the link has added to the allowlist is removed; the wallet of a mail without a link stays. If the badge was claimed, the request is rejected with 409 `ClaimCodeUsed`.',
        params: InvitationParams,
        response: {
          204: { description: 'Revoked, now or before.', type: 'null' },
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
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
        usesWriteConnection: true,
        findBodyErrors: findCancelErrors,
      },
      schema: {
        operationId: 'cancelMails',
        tags: ['Invitations'],
        summary: 'Cancel queued mails',
        description:
          'Revokes the invitations that are `queued` or `scheduled` and match each given field, with their links, as a revocation of each does. At least one field is required. The audit log gets one entry, without the address. A mail that is being sent at this moment can still arrive, with a link that is worth nothing. 409 `MailUnavailable`: with `email`, if the service has no key to encrypt addresses with.',
        params: CommunityParams,
        body: CancelMailsBody,
        response: {
          200: jsonResponse('How many invitations were revoked.', CancelledMails),
          ...problemResponses(
            ...KEY_ERRORS,
            'CommunityNotFound',
            'TokenNotFound',
            'TokenReplaced',
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
