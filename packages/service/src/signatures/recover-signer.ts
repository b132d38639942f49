import { type Address, toAddress } from './address.ts';
import type { Curve } from './curve.ts';
import { keccak256 } from './keccak.ts';
import { libsecp256k1 } from './libsecp256k1.ts';
import type { Signature } from './signature.ts';

const curve: Curve = libsecp256k1 ?? (await import('./noble-curves.ts')).nobleCurves;

/**
 * The name of the implementation of secp256k1 that this process uses: the native one or, if it cannot be loaded, the slower one in
 * JavaScript.
 */
export const curveImplementation = curve.name;

/** Returns the address that signed the 32-byte digest; null if none can be recovered. */
export function recoverSigner(digest: Uint8Array, signature: Signature): Address | null {
  const publicKey = curve.recoverPublicKey(digest, signature);
  return publicKey && addressOfPublicKey(publicKey);
}

/** Signs a 32-byte digest. Returns 65 bytes as 0x hex, with v 27 or 28. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): string {
  const signature = Buffer.from(curve.sign(digest, privateKey));
  signature.writeUInt8(signature.readUInt8(64) + 27, 64);
  return `0x${signature.toString('hex')}`;
}

/** Returns the address of a 32-byte private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Address {
  return addressOfPublicKey(curve.publicKeyOf(privateKey));
}

// An address is the last 20 of the 32 bytes of the hash of x and y. The first byte of the public key is its format.
function addressOfPublicKey(publicKey: Uint8Array): Address {
  return toAddress(keccak256(publicKey.subarray(1)).slice(12));
}
