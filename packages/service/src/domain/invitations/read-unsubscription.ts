import type { Context } from '../../context.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { readUnsubscribeToken } from './rules.ts';

export interface Unsubscription {
  /** The name of the community. */
  community: string;
  emailHash: Buffer;
}

/**
 * Reads who wants no more mails of which community, from an unsubscribe link. Throws if the service has not
 * made it.
 */
export async function readUnsubscription(
  context: Context,
  { communityId, person }: { communityId: string; person: string },
): Promise<Unsubscription> {
  const { encryption } = context;
  const emailHash = encryption && readUnsubscribeToken(encryption, { communityId, token: person });
  if (!emailHash) throw new Refusal('NotFound', 'This unsubscribe link is incomplete or wrong.');
  return { community: (await readCommunityRow(context, communityId)).name, emailHash };
}
