import type { BadgeMessage, ManagedSignature, SignWithManagedCreatorBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, toChecksumAddress } from '../../signatures/address.ts';
import { recordManagedSignature } from '../../storage/managed-creators.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { checkManagedCreator } from './read-managed-creator.ts';
import { managedCreatorNotFound } from './rules.ts';

/**
 * Signs a message with the key of the community's managed creator, after its audit entry is committed. The
 * body has passed its schema and `findSigningErrors`. A `Badge` needs the role `editor`; the route requires
 * `issuer`.
 */
export async function signWithManagedCreator(
  context: Context,
  routeCaller: Caller,
  { communityId, body }: { communityId: string; body: SignWithManagedCreatorBody },
): Promise<ManagedSignature> {
  const { primaryType, message } = body;
  const caller: Caller = primaryType === 'Badge' ? { ...routeCaller, neededRole: 'editor' } : routeCaller;
  const { managed_creator: recorded } = await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  if (recorded === null) throw managedCreatorNotFound();
  const { address, sign } = checkManagedCreator(context, communityId, recorded);
  const tokenId =
    primaryType === 'Badge' ? null : await checkToken(context, { communityId, address, ...message });
  const digest =
    tokenId === null
      ? context.typedData.badgeDigest(message as BadgeMessage)
      : context.typedData.tokenIdDigest('AllowlistedAddress', tokenId);
  if (!(await recordManagedSignature(context.database, toActor(caller), { communityId, address, tokenId }))) {
    await checkMayStillWrite(context.database, caller, communityId);
    throw managedCreatorNotFound();
  }
  return { address: toChecksumAddress(address), signature: sign(digest) };
}

async function checkToken(
  context: Context,
  { communityId, address, tokenId }: { communityId: string; address: Address; tokenId?: number },
): Promise<number> {
  const token = await readTokenRow(context, String(tokenId));
  if (token.community_id !== communityId) {
    throw new Refusal('TokenNotFound', 'The community has no token with this id.');
  }
  if (!token.creator.equals(address)) {
    throw new Refusal(
      'NotSignedByCreator',
      `The creator of the token is ${toChecksumAddress(token.creator)}, not the managed creator ${toChecksumAddress(address)}.`,
    );
  }
  if (!token.is_allowlist_required) {
    throw new Refusal(
      'AllowlistMismatch',
      'Only tokens with an allowlist have contributors; this one is open.',
    );
  }
  return token.token_id;
}
