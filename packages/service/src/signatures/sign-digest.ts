import type { Address } from './address.ts';
import { curve } from './curve.ts';
import { addressOfPublicKey } from './recover-signer.ts';

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
