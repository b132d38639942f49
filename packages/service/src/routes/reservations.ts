import { ConfirmReservationBody, CreateReservationBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { findEmailBodyErrors } from '../domain/invitations/rules.ts';
import { confirmReservation } from '../domain/reservations/confirm-reservation.ts';
import { createReservation } from '../domain/reservations/create-reservation.ts';
import { nameAddress } from '../http/caller-names.ts';
import { type App, EmptyObject, jsonResponse, problemResponses, TokenParams } from './route.ts';

const ERRORS = [
  'InvalidRequest',
  'TokenNotFound',
  'MailUnavailable',
  'ClaimCodeUsed',
  'ClaimCodePaused',
  'ClaimCodeNotStarted',
  'TokenClaimExpired',
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
        description:
          'For a person without a wallet who has the code of a claim link. The address gets a mail that asks for a confirmation; no place is taken before. An address that has a link already gets its link again. The response is the same, and takes the same time, whether or not the address is known. An address gets at most 3 such mails a day, and a client address (IPv6: its /64) can send 200 requests an hour.',
        params: TokenParams,
        body: CreateReservationBody,
        response: {
          202: jsonResponse('Accepted, whether or not a mail is sent.', EmptyObject),
          ...problemResponses(...ERRORS, 'ClaimCodeInvalid'),
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
        description:
          'With the code of the mail, within an hour after it was sent. Takes a place of the claim link whose code was sent, and queues the mail with a link for this person. Confirming twice changes nothing.',
        params: TokenParams,
        body: ConfirmReservationBody,
        response: {
          200: jsonResponse('Confirmed, now or before.', EmptyObject),
          ...problemResponses(
            ...ERRORS,
            'ClaimCodeInvalid',
            'ConfirmationCodeInvalid',
            'ClaimLinkLimitReached',
            'StorageQuotaReached',
          ),
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      await confirmReservation(context, { tokenId: params.tokenId, ...body });
      return reply.header('Cache-Control', 'no-store').send({});
    },
  );
}
