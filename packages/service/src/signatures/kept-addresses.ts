import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type Address, toAddress } from './address.ts';

// A change of this label changes every kept address.
const LABEL = 'badge/kept-address/1';
const KEY_BYTES = 32;
const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;

/** The owner of the badges that an e-mail has in a community. */
export interface KeptAddressId {
  communityId: string;
  /** The keyed hash of the e-mail, 32 bytes. */
  emailHash: Buffer;
}

/**
 * The addresses at which the service keeps badges for people without a wallet. Each follows from the seed,
 * the id of the community and the e-mail, and nobody has a key of it.
 */
export interface KeptAddresses {
  addressOf(id: KeptAddressId): Address;
}

export function createKeptAddresses(seed: KeyObject): KeptAddresses {
  const bytes = Buffer.from(hkdfSync('sha256', seed, '', LABEL, KEY_BYTES));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return {
    addressOf: ({ communityId, emailHash }) => {
      // All hashes have one length, so no two ids have the same bytes.
      if (emailHash.length !== HASH_BYTES) throw new TypeError('The hash of an e-mail must have 32 bytes.');
      const hash = createHmac('sha256', key).update(emailHash).update(communityId).digest();
      return toAddress(hash.subarray(0, ADDRESS_BYTES));
    },
  };
}
