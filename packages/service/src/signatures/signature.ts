const SIGNATURE_SHAPE = /^0x[0-9a-fA-F]{128}(?:0[01]|1[bBcC])?$/;

const ZERO = new Uint8Array(32);
/** The order of secp256k1. */
export const CURVE_ORDER = Buffer.from(
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
  'hex',
);
const HALF_CURVE_ORDER = Buffer.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  'hex',
);

/** A secp256k1 signature: `compact` is r and s, 32 bytes each. */
export interface Signature {
  compact: Uint8Array;
  recoveryId: 0 | 1;
}

/**
 * Parses a signature in hex: 65 bytes with v 27, 28, 0 or 1, or 64 bytes as in EIP-2098. Returns null for any
 * other text, for r or s out of range, and for a high s (above half the curve order).
 */
export function parseSignature(text: string): Signature | null {
  if (!SIGNATURE_SHAPE.test(text)) return null;
  const bytes = Buffer.from(text.slice(2), 'hex');
  const recoveryId = bytes.length === 64 ? takeParityBit(bytes) : toRecoveryId(bytes.readUInt8(64));
  const compact = new Uint8Array(bytes.subarray(0, 64));
  const r = compact.subarray(0, 32);
  const s = compact.subarray(32);
  const isInRange =
    Buffer.compare(r, ZERO) > 0 &&
    Buffer.compare(r, CURVE_ORDER) < 0 &&
    Buffer.compare(s, ZERO) > 0 &&
    Buffer.compare(s, HALF_CURVE_ORDER) <= 0;
  return isInRange ? { compact, recoveryId } : null;
}

/**
 * Returns the bytes of a signature of any kind, in hex; null for any other text, and for more than
 * `maxBytes`.
 */
export function parseSignatureBytes(text: string, maxBytes: number): Buffer | null {
  if (text.length > 2 + 2 * maxBytes || !/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return null;
  return Buffer.from(text.slice(2), 'hex');
}

/** Reads the recovery id from the top bit of s, where EIP-2098 puts it, and clears that bit. */
function takeParityBit(bytes: Buffer): 0 | 1 {
  const topByte = bytes.readUInt8(32);
  bytes.writeUInt8(topByte & 0x7f, 32);
  return topByte & 0x80 ? 1 : 0;
}

function toRecoveryId(v: number): 0 | 1 {
  return v === 1 || v === 28 ? 1 : 0;
}
