import type { Context } from '../../context.ts';
import { insertUnsubscription } from '../../storage/mails.ts';
import { readUnsubscription, type Unsubscription } from './read-unsubscription.ts';

/**
 * Records that a person wants no more mails: of the community of the link, or of any. It holds until the
 * person undoes it.
 */
export async function unsubscribe(
  context: Context,
  link: { communityId: string; person: string },
  scope: 'community' | 'all',
): Promise<Unsubscription> {
  const unsubscription = await readUnsubscription(context, link);
  const { emailHash } = unsubscription;
  await insertUnsubscription(context.database, {
    emailHash,
    communityId: scope === 'all' ? '' : link.communityId,
  });
  return unsubscription;
}
