import type { KeyObject } from 'node:crypto';
import type { Config } from '../config.ts';
import { findSeed } from '../secrets.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { createKeptAddresses } from '../signatures/kept-addresses.ts';
import type { DatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem } from './finding.ts';

const CHECK = 'kept badges';

/** Checks that the seed gives the kept addresses that the database has recorded. */
export function inspectKeptBadges(
  { keptAddresses: { count, checked } }: Pick<DatabaseFacts, 'keptAddresses'>,
  config: Config,
): Finding {
  if (config.role === 'worker') return ok(CHECK, 'a worker needs no seed for them');
  let seed: KeyObject | null;
  try {
    seed = findSeed(config, 'holderSeed');
  } catch (error) {
    return problem(CHECK, (error as Error).message, 'restore the file from the backup, or correct its mode');
  }
  if (seed === null) {
    if (count === 0) return ok(CHECK, 'none, and no seed');
    return problem(
      CHECK,
      `${count} addresses recorded, but there is no seed, so nobody can sign in to their badges`,
      'restore the seed from the backup, and set BADGE_HOLDER_SEED_FILE to it',
    );
  }
  const { addressOf } = createKeptAddresses(seed);
  const others = checked.filter((kept) => !addressOf(kept).equals(kept.address));
  const [first] = others;
  if (first === undefined) {
    return ok(CHECK, `${count} addresses; the seed gives all ${checked.length} that were checked`);
  }
  const [derived, recorded] = [addressOf(first), first.address].map(toChecksumAddress);
  return problem(
    CHECK,
    `the seed gives another address than the recorded one for ${others.length} of ${checked.length} that were checked, such as one of ${first.communityId}: ${derived} instead of ${recorded}`,
    'restore the seed from the backup',
  );
}
