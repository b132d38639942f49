import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Signature } from './claim.ts';
import { Address, Choice, Nullable, OptionalOrNull, PageQuery, Text, Timestamp } from './field-types.ts';

/** The languages of the mails. */
export const MAIL_LANGUAGES = ['en', 'es', 'ar'] as const;

export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export const MailLanguage = Type.Unsafe<MailLanguage>({
  type: 'string',
  enum: [...MAIL_LANGUAGES],
  description: 'The language of the mail.',
});

/** A language that a request can leave out. */
export function OptionalMailLanguage(description: string) {
  const values = [...MAIL_LANGUAGES, null];
  return Type.Optional(
    Type.Unsafe<MailLanguage | null>({ type: ['string', 'null'], enum: values, description }),
  );
}

const OptionalTimeZone = OptionalOrNull(
  Text({
    maxLength: LIMITS.timeZoneCharacters,
    description:
      'The IANA time zone of the organiser, such as `Europe/Madrid`, in which the mail writes when the badge can no longer be claimed. The end of a day there is written as this day. Default, and in place of an unknown one: UTC.',
    examples: ['Europe/Madrid'],
  }),
);

const SendAt = {
  ...Timestamp,
  description: 'When the mails are sent: at most 90 days ahead. A time that is over, null, or none: at once.',
};

const InvitationRecipient = Type.Object({
  email: Type.String({
    description:
      'An e-mail address. Up to 254 characters; ASCII before the `@`, without quotes. A domain in another script is converted to its ASCII form.',
    examples: ['ada@example.org'],
  }),
  address: OptionalOrNull({
    ...Address,
    description:
      "The wallet on the token's allowlist that the mail is for. The mail has no claim link: its button leads to the claim page, where this wallet claims. Default: the mail has a claim link of its own.",
  }),
  name: OptionalOrNull(
    Text({
      maxLength: LIMITS.recipientNameCharacters,
      description: 'The name of the person, for the greeting. One line.',
    }),
  ),
  language: OptionalMailLanguage('The language of the mail. Default: `en`.'),
});
export type InvitationRecipient = Static<typeof InvitationRecipient>;

/** The body of POST /v1/tokens/:tokenId/invitations. */
export const CreateInvitationsBody = Type.Object(
  {
    recipients: Type.Array(InvitationRecipient, {
      minItems: 1,
      maxItems: LIMITS.invitationRecipients,
      description:
        'Who gets a mail, up to 1,000. An address that is there twice gets one mail. An address that has an invitation to this token keeps it, and gets no second mail.',
    }),
    message: OptionalOrNull(
      Text({
        maxLength: LIMITS.invitationMessageCharacters,
        description: 'What the organiser writes to all of them, as plain text.',
      }),
    ),
    signature: OptionalOrNull({
      ...Signature,
      description:
        "The signature of the `AllowlistedAddress` message by the token's creator. Required for an allowlisted token if a recipient is not on its allowlist.",
    }),
    expiresAtTimestamp: OptionalOrNull({
      ...Timestamp,
      description:
        'When the claim links expire. Must be in the future. Default: never. It does not concern a mail for an `address`, which has no claim link.',
    }),
    sendAtTimestamp: OptionalOrNull(SendAt),
    timeZone: OptionalTimeZone,
  },
  { title: 'CreateInvitationsBody' },
);
export type CreateInvitationsBody = Static<typeof CreateInvitationsBody>;

const InvitationStatus = Choice([
  'scheduled',
  'queued',
  'sent',
  'failed',
  'claimed',
  'unsubscribed',
  'revoked',
]);
export type InvitationStatus = Static<typeof InvitationStatus>;

/** An item of GET /v1/tokens/:tokenId/invitations. */
export const Invitation = Type.Object(
  {
    invitationId: Type.String({ format: 'uuid' }),
    email: Nullable(
      Type.String({
        description:
          'The address. Null after it was erased: 90 days after the last mail, or after the link has ended.',
      }),
    ),
    name: Nullable(Type.String({ description: 'Null if none was given, and after the address was erased.' })),
    address: Nullable({
      ...Address,
      description:
        'The wallet on the allowlist that the mail is for; it has no claim link then. Null for a mail with a claim link.',
    }),
    language: MailLanguage,
    status: {
      ...InvitationStatus,
      description:
        '`scheduled`: the mail waits for `sendAtTimestamp`. `queued`: the mail waits for its turn, for the share of the community or for the mail server. `sent`: the mail server has accepted the mail. `failed`: it has refused the mail; `error` says why. `claimed`: the badge was claimed. `unsubscribed`: the person wants no mails, so none was sent and there is no link. `revoked`: the invitation or its link was revoked.',
    },
    error: Nullable(
      Type.String({
        description:
          'Why the mail could not be sent: what the mail server said, without the address. While `status` is `queued`: why the last attempt failed.',
      }),
    ),
    claimLinkId: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'The claim link in the mail. Null for an unsubscribed person, and for a mail that is for an `address`.',
      }),
    ),
    createdAtTimestamp: Timestamp,
    sendAtTimestamp: Nullable({
      ...Timestamp,
      description: 'For when the mail is, or was, scheduled. Null: it was to be sent at once.',
    }),
    sentAtTimestamp: Nullable({
      ...Timestamp,
      description: 'When the mail server accepted the last mail. Null if it has accepted none.',
    }),
    expiresAtTimestamp: Nullable({ ...Timestamp, description: 'Null if the link does not expire.' }),
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

/** The response of POST /v1/tokens/:tokenId/invitations. */
export const CreatedInvitations = Type.Object(
  { items: Type.Array(Invitation) },
  { title: 'CreatedInvitations' },
);
export type CreatedInvitations = Static<typeof CreatedInvitations>;

/** The body of PATCH /v1/tokens/:tokenId/invitations/:invitationId. */
export const UpdateInvitationBody = Type.Object(
  { sendAtTimestamp: OptionalOrNull(SendAt) },
  { title: 'UpdateInvitationBody', additionalProperties: false, minProperties: 1 },
);
export type UpdateInvitationBody = Static<typeof UpdateInvitationBody>;

/** The query of GET /v1/tokens/:tokenId/invitations. */
export const InvitationsQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional({
    ...InvitationStatus,
    description: 'Only invitations with this status. Default: all.',
  }),
});
export type InvitationsQuery = Static<typeof InvitationsQuery>;

/** The body of POST /v1/communities/:communityId/cancelMails. */
export const CancelMailsBody = Type.Object(
  {
    tokenId: OptionalOrNull(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only invitations to this token.',
      }),
    ),
    email: OptionalOrNull(
      Text({ maxLength: LIMITS.emailCharacters, description: 'Only invitations for this e-mail address.' }),
    ),
    createdByAddress: OptionalOrNull({
      ...Address,
      description: 'Only invitations that this member has queued, also with an API key that it created.',
    }),
  },
  { title: 'CancelMailsBody' },
);
export type CancelMailsBody = Static<typeof CancelMailsBody>;

/** The response of POST /v1/communities/:communityId/cancelMails. */
export const CancelledMails = Type.Object(
  { cancelledCount: Type.Integer({ minimum: 0, description: 'How many invitations were revoked.' }) },
  { title: 'CancelledMails' },
);
export type CancelledMails = Static<typeof CancelledMails>;

/** The body of POST /v1/tokens/:tokenId/invitations/preview. */
export const PreviewInvitationBody = Type.Object(
  {
    name: OptionalOrNull(
      Text({ maxLength: LIMITS.recipientNameCharacters, description: 'The name in the greeting.' }),
    ),
    language: OptionalMailLanguage('The language of the mail. Default: `en`.'),
    message: OptionalOrNull(
      Text({ maxLength: LIMITS.invitationMessageCharacters, description: 'What the organiser writes.' }),
    ),
    address: OptionalOrNull({
      ...Address,
      description: 'The wallet, for the mail to somebody on the allowlist. It need not be on it yet.',
    }),
    expiresAtTimestamp: OptionalOrNull({ ...Timestamp, description: 'When the link expires.' }),
    timeZone: OptionalTimeZone,
  },
  { title: 'PreviewInvitationBody' },
);
export type PreviewInvitationBody = Static<typeof PreviewInvitationBody>;

/** A mail as a person sees it. */
export const Mail = Type.Object(
  {
    from: Type.String({ description: 'The sender: a name and an address.' }),
    subject: Type.String(),
    text: Type.String({ description: 'The part for clients that show text only.' }),
    html: Type.String({
      description: 'The HTML part. The picture is inside, as a `data:` URL. It contains no script.',
    }),
  },
  { title: 'Mail' },
);
export type Mail = Static<typeof Mail>;
