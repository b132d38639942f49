import type { ManagedCreator } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, toChecksumAddress } from '../../signatures/address.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { managedCreatorNotFound } from './rules.ts';

/** Reads the address that signs for a community, as the database has recorded it. */
export async function readManagedCreator(
  context: Context,
  caller: Caller,
  communityId: string,
): Promise<ManagedCreator> {
  const { managed_creator: address } = await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  if (address === null) throw managedCreatorNotFound();
  return { address: toChecksumAddress(address) };
}

/**
 * Returns the managed creator of a community, which can sign. Throws if this process has no seed, or if
 * another seed gave the address that the database has recorded.
 */
export function checkManagedCreator(
  { managedCreators, log }: Context,
  communityId: string,
  recorded: Address | null,
): { address: Address; sign: (digest: Uint8Array) => string } {
  if (managedCreators === null) {
    throw new Refusal(
      'ManagedCreatorUnavailable',
      'The service has no seed for managed creators. The operator sets BADGE_CREATOR_SEED_FILE.',
    );
  }
  const address = managedCreators.addressOf(communityId);
  if (recorded !== null && !recorded.equals(address)) {
    log.error(
      { communityId, recorded: toChecksumAddress(recorded), derived: toChecksumAddress(address) },
      'the seed gives another managed creator than the recorded one: nothing is signed',
    );
    throw new Refusal(
      'ManagedCreatorUnavailable',
      `The managed creator is ${toChecksumAddress(recorded)}, but the seed of the service gives another key.`,
    );
  }
  return { address, sign: (digest) => managedCreators.sign(communityId, digest) };
}
