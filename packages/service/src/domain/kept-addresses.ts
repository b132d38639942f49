import type { Context } from '../context.ts';
import type { Encryption } from '../encryption.ts';
import type { Address } from '../signatures/address.ts';
import type { KeptAddresses, KeptAddressId } from '../signatures/kept-addresses.ts';
import type { Database } from '../storage/database.ts';
import { readHolder } from '../storage/holders.ts';
import { recordKeptAddresses } from '../storage/kept-addresses.ts';
import { hasMail } from './mail-service.ts';
import { Refusal } from './refusal.ts';

/** Whether people can keep badges with an e-mail, which they prove with a mail. */
export function hasKeptBadges(context: Context): boolean {
  return context.keptAddresses !== null && hasMail(context);
}

/** Returns what keeping badges needs; throws if this process has no seed for it, or no encryption key. */
export function requireKeptAddresses({
  keptAddresses,
  encryption,
}: Pick<Context, 'keptAddresses' | 'encryption'>): { keptAddresses: KeptAddresses; encryption: Encryption } {
  if (keptAddresses === null) {
    throw unavailable('The service has no seed for kept badges. The operator sets BADGE_HOLDER_SEED_FILE.');
  }
  if (encryption === null) {
    throw unavailable('The service has no encryption key. The operator sets BADGE_ENCRYPTION_KEY_FILE.');
  }
  return { keptAddresses, encryption };
}

/** Returns the kept address of an e-mail in a community. Nothing may be given to it before it is recorded. */
export function keptAddressOf(
  context: Pick<Context, 'keptAddresses' | 'encryption'>,
  id: KeptAddressId,
): Address {
  return requireKeptAddresses(context).keptAddresses.addressOf(id);
}

/**
 * Records the kept addresses of e-mails in communities. Throws if another one is recorded: badges at two
 * addresses would never come together.
 */
export async function prepareKeptAddresses(
  context: Pick<Context, 'keptAddresses' | 'encryption' | 'log'>,
  db: Database,
  ids: KeptAddressId[],
): Promise<void> {
  if (ids.length === 0) return;
  const kept = ids.map((id) => ({ ...id, address: keptAddressOf(context, id) }));
  const recorded = await recordKeptAddresses(db, kept);
  const wrong = kept.find(({ address }, index) => recorded[index]?.equals(address) !== true);
  if (wrong === undefined) return;
  context.log.error(
    { communityId: wrong.communityId },
    'the seed gives another kept address than the recorded one',
  );
  throw unavailable('The service has another seed than when it kept the first badge for this e-mail.');
}

/** Does the same for one, and returns its address. */
export async function prepareKeptAddress(
  context: Pick<Context, 'keptAddresses' | 'encryption' | 'log'>,
  db: Database,
  id: KeptAddressId,
): Promise<Address> {
  await prepareKeptAddresses(context, db, [id]);
  return keptAddressOf(context, id);
}

/**
 * Returns the address that gets what somebody claims with an e-mail in a community: the wallet of later
 * badges, if the person has chosen one, or the kept address.
 */
export async function receivingAddressOf(
  context: Pick<Context, 'database' | 'keptAddresses' | 'encryption'>,
  id: KeptAddressId,
): Promise<{ address: Address; isKept: boolean }> {
  const { defaultAddress } = await readHolder(context.database, id.emailHash);
  return defaultAddress === null
    ? { address: keptAddressOf(context, id), isKept: true }
    : { address: defaultAddress, isKept: false };
}

function unavailable(detail: string): Refusal {
  return new Refusal('KeptBadgesUnavailable', detail);
}
