import { ConfirmedReservation, ConfirmReservationBody, CreateReservationBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { findEmailBodyErrors } from '../domain/invitations/rules.ts';
import { confirmReservation } from '../domain/reservations/confirm-reservation.ts';
import { createReservation } from '../domain/reservations/create-reservation.ts';
import { nameAddress } from '../http/caller-names.ts';
import { type App, EmptyObject, jsonResponse, paragraphs, problemResponses, TokenParams } from './route.ts';

const ERRORS = [
  'InvalidRequest',
  'TokenNotFound',
  'MailUnavailable',
  'ClaimCodeUsed',
  'ClaimCodePaused',
  'ClaimCodeNotStarted',
  'TokenClaimExpired',
  'TokenNotYetClaimable',
  'NoTokensLeft',
  'RateLimited',
  'TooLarge',
  'UnsupportedMediaType',
] as const;

export function reservationRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/reservations',
    {
      config: {
        access: 'public',
        idempotency: 'ignore',
        claimCode: 'reserve',
        findBodyErrors: findEmailBodyErrors,
      },
      schema: {
        operationId: 'createReservation',
        tags: ['Reservations'],
        summary: 'Reserve a token for an e-mail address',
        description: paragraphs(
          'For a person without a wallet who has the code of a claim link, such as that of a room. The address gets a mail with a link to `PUBLIC_URL/reserve/:tokenId#CONFIRMATION_CODE`, which asks for a confirmation. Then the token is claimed and kept for the person; if it needs a wallet, a place is taken, and a second mail has a claim link, with which the person claims whenever there is one.',
          '- **What is not confirmed within an hour is deleted.** The hour begins when the mail is sent. If the link cannot be used any more when the mail is due, it is not sent.',
          '- **"Send my link again"** is the same call. An address that has a link to the token, from a reservation or an invitation, gets a mail with a new one, and the old one is revoked. If it has a place in a room, this also works when the room is full, paused, revoked or has ended.',
          '- **The response is the same**, and takes the same time, whether or not the address is known. No error depends on it. The address is stored encrypted, and erased as that of an invitation.',
          '- **Who sees the address.** Nobody before it is confirmed. Then the person is a recipient of the token, and the organisers see the address in the list of [recipients](#list-recipients). The mail says so.',
          "- **Limits.** A mailbox gets at most 3 such mails in 24 hours, from all communities, and none if it has unsubscribed. A client address (IPv6: its /64) can send 200 requests an hour of the clock; with the code of a room, 20 at once, then one each second. These mails are at most three fifths of the community's share in an hour and in 24 hours; further ones wait. Requests in a community are limited to four fifths of the share, and those of one client to half of these. A wrong short code counts as at a claim.",
        ),
        params: TokenParams,
        body: CreateReservationBody,
        response: {
          202: jsonResponse('Accepted, whether or not a mail is sent.', EmptyObject),
          ...problemResponses(...ERRORS, 'ClaimCodeInvalid', 'TokenReplaced'),
        },
      },
    },
    async (request, reply) => {
      const { tokenId } = request.params;
      await createReservation(context, { tokenId, body: request.body, client: nameAddress(request) });
      return reply.code(202).header('Cache-Control', 'no-store').send({});
    },
  );

  app.post(
    '/tokens/:tokenId/reservations/confirm',
    {
      config: { access: 'public', idempotency: 'ignore' },
      schema: {
        operationId: 'confirmReservation',
        tags: ['Reservations'],
        summary: 'Confirm a reservation',
        description: paragraphs(
          'With the code of the mail, within an hour after it was sent.',
          '- **If the service keeps badges** (`hasKeptBadges` of `GET /v1/environment`), this claims at once, with the link whose code was sent or, if the e-mail has a place already, with this one. No second mail is sent. `operationId` is the operation, whose result says whether the token was claimed, and `address` the kept address of the person. Confirming twice is the same operation. The claim is not counted for the client.',
          '- **Otherwise**, or if the token or the code needs a signature, or if the person has claimed with a wallet: both are null. A place of the claim link is taken, exactly, under any race, and the mail with a link for this person is queued. Confirming twice changes nothing.',
          '- A room counts a claim, and the new link has an allowlist entry of its own, `claimLink:ID`. The confirmation counts as a claim of the client that sent the code. If a claim with this code, or of this client, would need a signature, the claim with the new link does.',
          '- A link for one claim is replaced: its code is revoked. A link of an open token reserves no place in its total, and neither does the new one.',
          '- A place that was taken is not given back, also if the link is never used or is revoked.',
          '- 403 `ConfirmationCodeInvalid`: unknown, or sent more than an hour ago. 409 `RecipientRefuses`: the wallet that gets the later badges of the person refuses the community. 403 `ClaimCodeInvalid`: the link whose code was sent has ended. 409 `ClaimCodeUsed`: no place is left.',
        ),
        params: TokenParams,
        body: ConfirmReservationBody,
        response: {
          200: jsonResponse('Confirmed, now or before.', ConfirmedReservation),
          ...problemResponses(
            ...ERRORS,
            'ClaimCodeInvalid',
            'ConfirmationCodeInvalid',
            'ClaimLinkLimitReached',
            'StorageQuotaReached',
            'KeptBadgesUnavailable',
            'RecipientRefuses',
          ),
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      reply.header('Cache-Control', 'no-store');
      return await confirmReservation(context, { tokenId: params.tokenId, ...body });
    },
  );
}
