import type { Signature } from './signature.ts';

/** The operations of secp256k1 that signing and recovering take; public keys are uncompressed, 65 bytes. */
export interface Curve {
  name: 'libsecp256k1' | 'noble-curves';
  /** Null when no point recovers. */
  recoverPublicKey(digest: Uint8Array, signature: Signature): Uint8Array | null;
  /** The low-s signature, as r, s and the recovery id: 65 bytes. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
}
