import Type, { type Static } from 'typebox';
import { Text } from './field-types.ts';
import { OptionalMailLanguage } from './invitation.ts';

/** The body of POST /v1/communities/:communityId/resubscriptions. */
export const CreateResubscriptionBody = Type.Object(
  {
    email: Type.String({
      description: 'The e-mail address that has unsubscribed. Up to 254 characters; ASCII before the `@`.',
      examples: ['ada@example.org'],
    }),
    language: OptionalMailLanguage('The language of the mail. Default: `en`.'),
  },
  { title: 'CreateResubscriptionBody' },
);
export type CreateResubscriptionBody = Static<typeof CreateResubscriptionBody>;

/** The body of POST /v1/communities/:communityId/resubscriptions/confirm. */
export const ConfirmResubscriptionBody = Type.Object(
  {
    confirmationCode: Text({
      maxLength: 256,
      minLength: 1,
      description: 'The `code` in the link in the mail.',
    }),
  },
  { title: 'ConfirmResubscriptionBody' },
);
export type ConfirmResubscriptionBody = Static<typeof ConfirmResubscriptionBody>;
