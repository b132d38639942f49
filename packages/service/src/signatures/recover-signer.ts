import { type Address, toAddress } from './address.ts';
import type { Curve } from './curve.ts';
import { keccak256 } from './keccak.ts';
import { libsecp256k1 } from './libsecp256k1.ts';
import type { Signature } from './signature.ts';

const curve: Curve = libsecp256k1 ?? (await import('./noble-curves.ts')).nobleCurves;

/** Which implementation of secp256k1 this process runs: the native one, or the slower one in JavaScript. */
export const curveImplementation = curve.name;

/** The 20-byte address whose key made `signature` over the 32-byte `digest`; null when no point recovers. */
export function recoverSigner(digest: Uint8Array, signature: Signature): Address | null {
  const publicKey = curve.recoverPublicKey(digest, signature);
  return publicKey && addressOfPublicKey(publicKey);
}

/** Signs a 32-byte digest: 65 bytes in hex, with v 27 or 28. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): string {
  const signature = Buffer.from(curve.sign(digest, privateKey));
  signature.writeUInt8(signature.readUInt8(64) + 27, 64);
  return `0x${signature.toString('hex')}`;
}

/** The 20-byte address of a 32-byte private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Address {
  return addressOfPublicKey(curve.publicKeyOf(privateKey));
}

function addressOfPublicKey(publicKey: Uint8Array): Address {
  return toAddress(keccak256(publicKey.subarray(1)).slice(12));
}
