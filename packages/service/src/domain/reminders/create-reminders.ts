import type { CreatedReminders, CreateRemindersBody, SkipReason } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { lockWritableToken } from '../lock-token.ts';
import { requireMail } from '../mail-service.ts';
import { type QueuedReminders, queueReminders } from '../queue-reminders.ts';
import { checkNoErrors } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';

const PIECE = 1_000;

/**
 * Queues reminders for recipients of a token, or for all, and says who is not reminded, and why. All are
 * handled in pieces, so that claims do not wait. After an interruption, a repetition skips who was reminded.
 */
export async function createReminders(
  context: Context,
  caller: Caller,
  { tokenId, body }: { tokenId: string; body: CreateRemindersBody },
): Promise<CreatedReminders> {
  const token = await readWritableToken(context, caller, tokenId);
  const mailContext = requireMail(context);
  const { kind, recipientIds, isDryRun = false } = body;

  async function queue(page: Parameters<typeof queueReminders>[3]['page']): Promise<QueuedReminders> {
    return await context.transaction(async (tx) => {
      await lockWritableToken(tx, token.token_id);
      const queued = await queueReminders(mailContext, tx, toActor(caller), {
        token,
        kind,
        days: null,
        isDryRun,
        page,
      });
      if (!queued.isAllowed) await checkMayStillWrite(tx, caller, token.community_id);
      if (recipientIds !== undefined) checkAllFound(recipientIds, queued);
      return queued;
    });
  }

  const counts = new Map<SkipReason, number>();
  let queuedCount = 0;
  function count({ people }: QueuedReminders): void {
    for (const { reason } of people) {
      if (reason === null) queuedCount += 1;
      else counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }

  if (recipientIds !== undefined) {
    const queued = await queue({ recipientIds: [...new Set(recipientIds)] });
    count(queued);
    const skipped = queued.people.flatMap(({ recipientId, reason }) =>
      reason === null ? [] : [{ recipientId, reason }],
    );
    return { queued: queuedCount, skippedCounts: Object.fromEntries(counts), skipped };
  }
  for (let after: number | null = 0; after !== null; ) {
    const queued = await queue({ after, limit: PIECE });
    count(queued);
    after = queued.last;
  }
  return { queued: queuedCount, skippedCounts: Object.fromEntries(counts), skipped: [] };
}

function checkAllFound(recipientIds: string[], { people }: QueuedReminders): void {
  const found = new Set(people.map(({ recipientId }) => recipientId));
  checkNoErrors(
    recipientIds.flatMap((id, index) =>
      found.has(id.toLowerCase())
        ? []
        : [{ pointer: `/recipientIds/${index}`, detail: 'is no recipient of the token' }],
    ),
  );
}
