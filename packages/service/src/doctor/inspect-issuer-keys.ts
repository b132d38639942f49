import type { KeyObject } from 'node:crypto';
import { toDidKey } from '@badge/credentials/issue';
import type { Config } from '../config.ts';
import { findSeed } from '../secrets.ts';
import { createIssuerKeys } from '../signatures/issuer-keys.ts';
import type { DatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem } from './finding.ts';

const CHECK = 'issuer keys';

/** Checks that the seed gives the public keys that the database has recorded. */
export function inspectIssuerKeys(
  { issuerKeys: recorded }: Pick<DatabaseFacts, 'issuerKeys'>,
  config: Config,
): Finding {
  if (config.role === 'worker') return ok(CHECK, 'a worker signs nothing');
  let seed: KeyObject | null;
  try {
    seed = findSeed(config, 'issuerSeed');
  } catch (error) {
    return problem(CHECK, (error as Error).message, 'restore the file from the backup, or correct its mode');
  }
  if (seed === null) {
    if (recorded.length === 0) return ok(CHECK, 'none, and no seed: there are no credentials');
    return problem(
      CHECK,
      `${recorded.length} recorded, but there is no seed, so there are no credentials and no status lists`,
      'restore the seed from the backup, and set BADGE_ISSUER_SEED_FILE to it',
    );
  }
  const keys = createIssuerKeys(seed);
  const others = recorded.filter((key) => !keys.publicKeyOf(key).equals(key.publicKey));
  const communities = new Set(others.map(({ communityId }) => communityId));
  const [first] = others;
  if (first !== undefined) {
    return problem(
      CHECK,
      `the seed gives another key than the recorded one for ${communities.size} communities, such as ${first.communityId}: ${toDidKey(keys.publicKeyOf(first))} instead of ${toDidKey(first.publicKey)}`,
      'restore the seed from the backup; if it is lost, rotate the keys with isSeedReplaced (docs/operations.md)',
    );
  }
  return ok(CHECK, `${recorded.length}, all of them keys that the seed gives`);
}
