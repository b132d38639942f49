import { CreatedReminders, CreateRemindersBody, LIMITS } from '@badge/protocol';
import type { Context } from '../context.ts';
import { createReminders } from '../domain/reminders/create-reminders.ts';
import { callerOf } from '../http/auth.ts';
import { type App, jsonResponse, KEY_ERRORS, paragraphs, problemResponses, TokenParams } from './route.ts';

// Each request of this route counts as 10 requests, as one that invites people does.
const COUNTED_ITEMS = 1_000;

export function reminderRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/reminders',
    {
      config: {
        access: 'community',
        role: 'issuer',
        idempotency: 'ignore',
        countCreatedItems: () => COUNTED_ITEMS,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createReminders',
        tags: ['Invitations'],
        summary: 'Remind people',
        description: paragraphs(
          'Queues a mail for those recipients who can be reminded, and says why the others are not. The mails are sent in the background, in the language of the invitation, within the share of invitations. Each says why it comes.',
          '- **`claim`** reminds those whose invitation or reservation was sent, and who have not claimed. The mail has a further link to the same entry, and earlier links go on working; whichever is used first claims. A revocation of the invitation revokes all of them.',
          '- **`expiry`** tells owners whose e-mail is known when their badge ends. Who was renewed meanwhile gets no mail.',
          '- **Limits.** A person gets at most one reminder in three days, and none in the first three days after an invitation; at most three about a claim, and three about the same end. A mailbox gets at most 3 such mails in 24 hours, over all communities. What happens before a mail is sent counts too: a claim, a revocation, an unsubscription, a renewal.',
          '- **Reasons**: `claimed`; `notSent`: no invitation was sent; `unsubscribed`; `ended`: the invitation is revoked or over, or nothing of the person will end; `noEmail`: the address is not known, or was erased; `remindedThreeTimes`; `remindedRecently`.',
          '- **By themselves**: `reminders` of [the community](#update-a-community) reminds people so many days after an invitation, and before the end of a badge.',
          '- **Repetition.** A repeated request reminds nobody again. Each request counts as 10 requests.',
        ),
        params: TokenParams,
        body: CreateRemindersBody,
        response: {
          202: jsonResponse('How many people are reminded, and who is not.', CreatedReminders),
          ...problemResponses(
            ...KEY_ERRORS,
            'TokenNotFound',
            'TokenReplaced',
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
      const { tokenId } = request.params;
      const created = await createReminders(context, callerOf(request), { tokenId, body: request.body });
      return reply.code(202).header('Cache-Control', 'no-store').send(created);
    },
  );
}
