import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { CurveImplementation } from './curve-implementation.ts';

/** The implementation in JavaScript, for machines where the native library cannot be loaded. */
export const nobleCurves: CurveImplementation = {
  name: 'noble-curves',
  recoverPublicKey(digest, { compact, recoveryId }) {
    try {
      const signature = secp256k1.Signature.fromBytes(compact, 'compact').addRecoveryBit(recoveryId);
      return signature.recoverPublicKey(digest).toBytes(false);
    } catch {
      return null;
    }
  },
  sign(digest, privateKey) {
    // The first byte of this format is the recovery id.
    const [recoveryId = 0, ...compact] = secp256k1.sign(digest, privateKey, {
      prehash: false,
      format: 'recovered',
    });
    return Uint8Array.of(...compact, recoveryId);
  },
  publicKeyOf: (privateKey) => secp256k1.getPublicKey(privateKey, false),
};
