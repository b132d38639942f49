import type { KeyObject } from 'node:crypto';
import type { Config } from '../config.ts';
import { findSeed } from '../secrets.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { createManagedCreators } from '../signatures/managed-creators.ts';
import type { DatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem } from './finding.ts';

const CHECK = 'managed creators';

/** Checks that the seed gives the addresses that the database has recorded for the managed creators. */
export function inspectManagedCreators(
  { managedCreators: recorded }: Pick<DatabaseFacts, 'managedCreators'>,
  config: Config,
): Finding {
  if (config.role === 'worker') return ok(CHECK, 'a worker signs nothing');
  let seed: KeyObject | null;
  try {
    seed = findSeed(config, 'creatorSeed');
  } catch (error) {
    return problem(CHECK, (error as Error).message, 'restore the file from the backup, or correct its mode');
  }
  if (seed === null) {
    if (recorded.length === 0) return ok(CHECK, 'none, and no seed');
    return problem(
      CHECK,
      `${recorded.length} recorded, but there is no seed, so nothing can be signed`,
      'restore the seed from the backup, and set BADGE_CREATOR_SEED_FILE to it',
    );
  }
  const creators = createManagedCreators(seed);
  const others = recorded.filter(
    ({ communityId, address }) => !creators.addressOf(communityId).equals(address),
  );
  const [first] = others;
  if (first === undefined) return ok(CHECK, `${recorded.length}, all with an address that the seed gives`);
  const { communityId, address } = first;
  const derived = toChecksumAddress(creators.addressOf(communityId));
  return problem(
    CHECK,
    `the seed gives another address than the recorded one for ${others.length} of ${recorded.length} communities, such as ${communityId}: ${derived} instead of ${toChecksumAddress(address)}`,
    'restore the seed from the backup; if it is lost, set hasManagedCreator to false, then to true, which gives the community another creator',
  );
}
