import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Choice, UUID_PATTERN } from './field-types.ts';

const ReminderKind = Choice(['claim', 'expiry'], {
  description:
    '`claim`: those who were invited and have not claimed. `expiry`: those whose badge will end, with the end of each.',
});
export type ReminderKind = Static<typeof ReminderKind>;

/** Why somebody is not reminded. */
export const SKIP_REASONS = [
  'claimed',
  'notSent',
  'unsubscribed',
  'ended',
  'noEmail',
  'remindedThreeTimes',
  'remindedRecently',
] as const;
const SkipReason = Choice([...SKIP_REASONS]);
export type SkipReason = Static<typeof SkipReason>;

/** The body of POST /v1/tokens/:tokenId/reminders. */
export const CreateRemindersBody = Type.Object(
  {
    kind: ReminderKind,
    recipientIds: Type.Optional(
      Type.Array(Type.String({ pattern: UUID_PATTERN }), {
        minItems: 1,
        maxItems: LIMITS.recipients,
        description: 'Who is reminded: 1 to 1,000 recipients of the token. Default: all.',
        examples: [['6f1c2f0a-4d0e-4a55-9f0b-0d8a5f3c1b2e']],
      }),
    ),
    isDryRun: Type.Optional(
      Type.Boolean({
        description:
          'If true, nobody is reminded: the response says what would happen, apart from the limit of mailboxes. Default: false.',
      }),
    ),
  },
  { title: 'CreateRemindersBody', examples: [{ kind: 'claim' }] },
);
export type CreateRemindersBody = Static<typeof CreateRemindersBody>;

/** The response of POST /v1/tokens/:tokenId/reminders. */
export const CreatedReminders = Type.Object(
  {
    queued: Type.Integer({ description: 'How many people are reminded.' }),
    skippedCounts: Type.Record(Type.String(), Type.Integer(), {
      description: 'How many people are not reminded, by reason.',
    }),
    skipped: Type.Array(Type.Object({ recipientId: Type.String({ format: 'uuid' }), reason: SkipReason }), {
      description: 'Who of `recipientIds` is not reminded, and why. Without `recipientIds`: empty.',
    }),
  },
  { title: 'CreatedReminders' },
);
export type CreatedReminders = Static<typeof CreatedReminders>;
