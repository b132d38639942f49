import Type, { type Static } from 'typebox';
import { ClaimCode } from './claim.ts';
import { Address, Nullable, Text } from './field-types.ts';
import { OptionalMailLanguage } from './invitation.ts';

/** The body of POST /v1/tokens/:tokenId/reservations. */
export const CreateReservationBody = Type.Object(
  {
    email: Type.String({
      description:
        'The e-mail address of the person. Up to 254 characters; ASCII before the `@`. A domain in another script is converted to its ASCII form.',
      examples: ['ada@example.org'],
    }),
    claimCode: ClaimCode,
    language: OptionalMailLanguage('The language of the mails. Default: `en`.'),
  },
  { title: 'CreateReservationBody' },
);
export type CreateReservationBody = Static<typeof CreateReservationBody>;

/** The body of POST /v1/tokens/:tokenId/reservations/confirm. */
export const ConfirmReservationBody = Type.Object(
  {
    confirmationCode: Text({
      maxLength: 64,
      minLength: 1,
      description: 'The code in the fragment of the link in the mail.',
    }),
  },
  { title: 'ConfirmReservationBody' },
);
export type ConfirmReservationBody = Static<typeof ConfirmReservationBody>;

/** The response of POST /v1/tokens/:tokenId/reservations/confirm. */
export const ConfirmedReservation = Type.Object(
  {
    operationId: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The operation that claims the token. Null: a mail with a link follows.',
      }),
    ),
    address: Nullable({
      ...Address,
      description: 'The address that gets the token. Null: a mail with a link follows.',
    }),
  },
  { title: 'ConfirmedReservation' },
);
export type ConfirmedReservation = Static<typeof ConfirmedReservation>;
