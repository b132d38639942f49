import { hkdfSync, type KeyObject } from 'node:crypto';
import type { Address } from './address.ts';
import { addressOfPrivateKey, signDigest } from './sign-digest.ts';
import { CURVE_ORDER } from './signature.ts';

// A change of this label changes every key. docs/decisions/0042-managed-creators-have-keys-from-a-seed.md
const LABEL = 'badge/managed-creator/1';
const KEY_BYTES = 32;

/**
 * The keys that the service keeps for communities. Each follows from the seed and the id of the community.
 */
export interface ManagedCreators {
  addressOf(communityId: string): Address;
  /** Signs a 32-byte digest with the key of the community. Returns 65 bytes as 0x hex, with v 27 or 28. */
  sign(communityId: string, digest: Uint8Array): string;
}

export function createManagedCreators(seed: KeyObject): ManagedCreators {
  function useKey<T>(communityId: string, use: (privateKey: Uint8Array) => T): T {
    const privateKey = findPrivateKey(
      (counter) =>
        new Uint8Array(hkdfSync('sha256', seed, '', `${LABEL}/${communityId}/${counter}`, KEY_BYTES)),
    );
    try {
      return use(privateKey);
    } finally {
      privateKey.fill(0);
    }
  }
  return {
    addressOf: (communityId) => useKey(communityId, addressOfPrivateKey),
    sign: (communityId, digest) => useKey(communityId, (privateKey) => signDigest(digest, privateKey)),
  };
}

/** Returns the first candidate that is a private key: a number from 1 to the curve order minus 1. */
export function findPrivateKey(deriveCandidate: (counter: number) => Uint8Array): Uint8Array {
  for (let counter = 0; ; counter += 1) {
    const candidate = deriveCandidate(counter);
    if (candidate.some((byte) => byte !== 0) && Buffer.compare(candidate, CURVE_ORDER) < 0) return candidate;
  }
}
