import { type DueReminder, findDueReminders, noteReminded } from '../storage/reminders.ts';
import { lockToken } from '../storage/token-locks.ts';
import type { MailContext } from './mail-service.ts';
import { queueReminders } from './queue-reminders.ts';
import { Refusal } from './refusal.ts';

const MAX_DUE = 1_000;
const SERVICE = { kind: 'service', apiKeyId: null } as const;

/**
 * Queues the reminders that the settings of a community ask for now, and notes until when. Who would get two
 * at once, for example after a stop of a week, gets one, because nobody gets two in three days. So it does no
 * harm if two processes do it at once, or if it is interrupted and done again.
 */
export async function queueDueReminders(
  context: MailContext,
  communityId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (!signal?.aborted) {
    const found = await findDueReminders(context.database, communityId, MAX_DUE);
    if (found === null) return;
    for (const group of groupDue(found.due)) await queueGroup(context, communityId, group);
    await noteReminded(context.database, { communityId, until: found.until });
  }
}

type Group = Pick<DueReminder, 'token_id' | 'kind' | 'days'> & { recipientIds: string[] };

// A transaction for each, because a token is locked before the turn of its community.
async function queueGroup(context: MailContext, communityId: string, group: Group): Promise<void> {
  const { token_id: tokenId, kind, days, recipientIds } = group;
  await context.transaction(async (tx) => {
    // Of a token that was replaced at this moment, nobody is reminded.
    if ((await lockToken(tx, tokenId)) !== null) return;
    const token = { token_id: tokenId, community_id: communityId };
    // If the community can store no further link, nobody is reminded.
    await queueReminders(context, tx, SERVICE, { token, kind, days, page: { recipientIds } }).catch(
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      },
    );
  });
}

function groupDue(due: DueReminder[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const { token_id, kind, days, recipient_id } of due) {
    const key = `${token_id} ${kind} ${days}`;
    const group = groups.get(key) ?? { token_id, kind, days, recipientIds: [] };
    group.recipientIds.push(recipient_id);
    groups.set(key, group);
  }
  return groups.values();
}
