import { type Address, toAddress } from './address.ts';
import { curve } from './curve.ts';
import { keccak256 } from './keccak.ts';
import type { Signature } from './signature.ts';

/** Returns the address that signed the 32-byte digest; null if none can be recovered. */
export function recoverSigner(digest: Uint8Array, signature: Signature): Address | null {
  const publicKey = curve.recoverPublicKey(digest, signature);
  return publicKey && addressOfPublicKey(publicKey);
}

/** Returns the address of an uncompressed public key of 65 bytes. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  // An address is the last 20 of the 32 bytes of the hash of x and y. The first byte of the public key is its
  // format.
  return toAddress(keccak256(publicKey.subarray(1)).slice(12));
}
