import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import {
  Address,
  Choice,
  IsKept,
  Nullable,
  OptionalOrNull,
  PageQuery,
  Text,
  Timestamp,
  UUID_PATTERN,
} from './field-types.ts';

const person = {
  name: OptionalOrNull(
    Text({ maxLength: LIMITS.recipientNameCharacters, description: 'The name of the person. One line.' }),
  ),
  email: OptionalOrNull(
    Text({
      maxLength: LIMITS.emailCharacters,
      description: 'The e-mail address of the person. Nothing is sent to it.',
      examples: ['ada@example.org'],
    }),
  ),
  note: OptionalOrNull(
    Text({
      maxLength: LIMITS.recipientNoteCharacters,
      description: 'What the community wants to remember about the person.',
    }),
  ),
};

/** What a request says about a person. It is stored encrypted, and only the community reads it. */
export const Person = Type.Object(person);
export type Person = Static<typeof Person>;

/** A contributor, and who it is. */
export type NamedContributor = Person & { contributor: string };

/** An entry of a list of contributors: a text, or an object with who it is. */
export const ContributorEntry = Type.Unsafe<string | NamedContributor>({
  type: ['string', 'object'],
  properties: { contributor: { type: 'string' }, ...person },
  required: ['contributor'],
  additionalProperties: false,
});
export type ContributorEntry = Static<typeof ContributorEntry>;

const WAYS = ['list', 'link', 'invitation', 'reservation', 'room', 'open', 'airdrop', 'import'] as const;

const way = Choice([...WAYS]);
export type RecipientWay = Static<typeof way>;

/** In the order of `order=status`. */
export const RECIPIENT_STATUSES = [
  'listed',
  'linked',
  'scheduled',
  'queued',
  'invited',
  'failed',
  'unsubscribed',
  'reserved',
  'claimed',
  'expired',
  'burnt',
  'revoked',
  'moved',
] as const;

const RecipientStatus = Choice([...RECIPIENT_STATUSES]);
export type RecipientStatus = Static<typeof RecipientStatus>;

/** One or more of several words, with commas between them. */
function Several(words: readonly string[], options: { description: string; examples: string[] }) {
  const word = `(${words.join('|')})`;
  return Type.String({ pattern: `^${word}(,${word})*$`, ...options });
}

const nullable = (description: string) => Nullable({ ...Timestamp, description });

/** An item of GET /v1/tokens/:tokenId/recipients. */
export const Recipient = Type.Object(
  {
    recipientId: Type.String({ format: 'uuid' }),
    name: Nullable(Type.String({ description: 'Null if it is not known.' })),
    email: Nullable(
      Type.String({
        description:
          'Null if it is not known. That of an invitation is erased 90 days after the invitation has ended or, if the community reminds people before their badges end, when the badge ends. That of somebody who keeps the badge with it stays.',
      }),
    ),
    identifier: Nullable(
      Type.String({ description: 'The identifier on the allowlist. Null for an address, and for a link.' }),
    ),
    address: Nullable({
      ...Address,
      description:
        'The address that can claim the token, has it, or has had it. Null if it is not known yet.',
    }),
    note: Nullable(Type.String({ description: 'What the community wants to remember.' })),
    way: {
      ...way,
      description:
        'How the token was first given to the person. `list`: by the allowlist. `link`: by a claim link, also of an entry of the allowlist. `invitation` and `reservation`: by a mail. `room`: with the code of a room. `open`: the person claimed an open token. `airdrop`: the person claimed nothing. `import`: it comes from another service.',
    },
    status: {
      ...RecipientStatus,
      description:
        'What has become of it. `listed`: the person can claim. `linked`: there is a claim link. `scheduled`, `queued`, `invited`, `failed`: the invitation waits for its time, waits, was sent or could not be sent. `unsubscribed`: the person wants no mails. `reserved`: the person has confirmed the e-mail address. `claimed`: the person has the token. `expired`: the time in which the person could claim, or had the token, is over. `burnt`, `revoked`, `moved`: the address has lost the token.',
    },
    claimLinkId: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The newest claim link of the person, or that of the room.',
      }),
    ),
    invitationId: Nullable(
      Type.String({ format: 'uuid', description: 'The newest invitation or reservation.' }),
    ),
    addedAtTimestamp: Timestamp,
    sendAtTimestamp: nullable('When the mail is sent, if it is `scheduled`.'),
    sentAtTimestamp: nullable('When the last mail was sent.'),
    remindedAtTimestamp: nullable('When the person was last reminded.'),
    claimedAtTimestamp: nullable('When the token was claimed. A move does not change it.'),
    statusChangedAtTimestamp: { ...Timestamp, description: 'Since when the status is what it is.' },
    validUntilTimestamp: nullable('When what the person has ends. Null: never.'),
    isKept: IsKept,
  },
  { title: 'Recipient' },
);
export type Recipient = Static<typeof Recipient>;

const search = (description: string) =>
  Type.Optional(Text({ maxLength: LIMITS.searchCharacters, description }));

const uuid = UUID_PATTERN.slice(1, -1);

/** The query of GET /v1/tokens/:tokenId/recipients. */
export const RecipientsQuery = Type.Object({
  ...PageQuery.properties,
  search: search(
    'Only people whose name, e-mail, address or identifier contains this text. Case and accents do not matter: `muller` finds Müller. A whole address is compared only with addresses.',
  ),
  status: Type.Optional(
    Several(RECIPIENT_STATUSES, {
      description:
        'Only people with this status, or with one of several, with commas between them. Default: all.',
      examples: ['invited,linked'],
    }),
  ),
  way: Type.Optional(
    Several(WAYS, {
      description:
        'Only people who got the token in this way, or in one of several, with commas between them. Default: all.',
      examples: ['room,reservation'],
    }),
  ),
  claimLinkId: Type.Optional(
    Type.String({
      pattern: `^${uuid}(,${uuid}){0,99}$`,
      description: 'Only the people of this claim link, or of up to 100, with commas between them.',
      examples: ['7f0c2f5e-3a52-4c0e-9d5b-0f6f5b6a2c11'],
    }),
  ),
  endsWithinDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.validityDays,
      description: 'Only people who have the token, and whose token ends within so many days of 24 hours.',
      examples: [30],
    }),
  ),
  order: Type.Optional(
    Choice(['newest', 'oldest', 'name', 'status'], {
      default: 'newest',
      description: 'By the time when they were added, by name (those without one last), or by status.',
    }),
  ),
});
export type RecipientsQuery = Static<typeof RecipientsQuery>;

/** The response of GET /v1/tokens/:tokenId/recipients. */
export const RecipientsPage = Type.Object(
  {
    limit: Type.Integer({ description: 'The limit that was used.' }),
    offset: Type.Integer({ description: 'The offset that was used.' }),
    total: Type.Integer({ description: 'How many people the filters match.' }),
    data: Type.Array(Recipient),
  },
  { title: 'RecipientPage' },
);
export type RecipientsPage = Static<typeof RecipientsPage>;

/** The body of PUT /v1/tokens/:tokenId/recipients. */
export const SetRecipientsBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        contributor: Type.String({
          description: 'An entry of the allowlist, or the address of an owner.',
          examples: ['0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044'],
        }),
        ...person,
      }),
      { minItems: 1, maxItems: LIMITS.recipients, description: 'Who 1 to 1,000 of them are.' },
    ),
  },
  { title: 'SetRecipientsBody' },
);
export type SetRecipientsBody = Static<typeof SetRecipientsBody>;

/** The response of PUT /v1/tokens/:tokenId/recipients. */
export const SetRecipients = Type.Object(
  { updated: Type.Integer({ description: 'How many people were named.' }) },
  { title: 'SetRecipients' },
);
export type SetRecipients = Static<typeof SetRecipients>;

/** The body of PATCH /v1/tokens/:tokenId/recipients/:recipientId. Absent fields do not change. */
export const UpdateRecipientBody = Type.Object(person, {
  title: 'UpdateRecipientBody',
  additionalProperties: false,
  minProperties: 1,
});
export type UpdateRecipientBody = Static<typeof UpdateRecipientBody>;

/** An item of GET /v1/tokens/:tokenId/recipients/:recipientId/history. */
export const RecipientHistoryEntry = Type.Object(
  {
    type: Choice([
      'added',
      'sent',
      'failed',
      'reminded',
      'claimed',
      'burnt',
      'revoked',
      'reinstated',
      'moved',
      'renewed',
      'replaced',
    ]),
    createdAtTimestamp: Timestamp,
    actor: Nullable(
      Type.String({
        description:
          'Who did it: the address of a member or of the person, or `apiKey`, `operator`, `signature`, `claimCode` or `service` as in the audit log. Null if it is not known.',
      }),
    ),
    detail: Nullable(
      Type.String({
        description:
          'For `added`, the way; for `failed`, the words of the mail server; for `moved`, the address that has the token since then; for `replaced`, the id of the token that was replaced; for `renewed`, when the token ends since then, in milliseconds since 1970; for `revoked` and `reinstated`, the reason.',
      }),
    ),
  },
  { title: 'RecipientHistoryEntry' },
);
export type RecipientHistoryEntry = Static<typeof RecipientHistoryEntry>;
