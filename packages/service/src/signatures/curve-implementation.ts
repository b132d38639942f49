import type { Signature } from './signature.ts';

/** An implementation of secp256k1. Public keys are uncompressed, 65 bytes. */
export interface CurveImplementation {
  name: 'libsecp256k1' | 'noble-curves';
  /** Returns null if no public key can be recovered. */
  recoverPublicKey(digest: Uint8Array, signature: Signature): Uint8Array | null;
  /** Returns 65 bytes: r, s (at most half the curve order), and the recovery id. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
}
