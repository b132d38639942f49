import { createRequire } from 'node:module';
import type { CurveImplementation } from './curve-implementation.ts';

/** The native library, or null if it cannot be loaded. */
export const libsecp256k1: CurveImplementation | null = loadLibsecp256k1();

function loadLibsecp256k1(): CurveImplementation | null {
  let bindings: typeof import('secp256k1');
  try {
    // The main entry of the package is not used: it falls back to elliptic, which is slow and has had
    // signature bugs.
    bindings = createRequire(import.meta.url)('secp256k1/bindings');
  } catch {
    return null;
  }
  return {
    name: 'libsecp256k1',
    recoverPublicKey(digest, { compact, recoveryId }) {
      try {
        return bindings.ecdsaRecover(compact, recoveryId, digest, false);
      } catch {
        return null;
      }
    },
    sign(digest, privateKey) {
      const { signature, recid } = bindings.ecdsaSign(digest, privateKey);
      return Uint8Array.of(...signature, recid);
    },
    publicKeyOf: (privateKey) => bindings.publicKeyCreate(privateKey, false),
  };
}
