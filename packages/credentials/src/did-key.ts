import { decodeMultibase, encodeBase58 } from './multibase.ts';

const PREFIX = 'did:key:';
// The multicodec of an Ed25519 public key.
const ED25519 = [0xed, 0x01];
const KEY_BYTES = 32;

/** The `did:key` of an Ed25519 public key of 32 bytes. */
export function toDidKey(publicKey: Uint8Array): string {
  if (publicKey.length !== KEY_BYTES) throw new Error(`an Ed25519 public key has ${KEY_BYTES} bytes`);
  return PREFIX + encodeBase58(Uint8Array.from([...ED25519, ...publicKey]));
}

/**
 * The Ed25519 public key in a `did:key`. Undefined if the text is another identifier, or has a key of another
 * kind.
 */
export function parseDidKey(did: string): Uint8Array | undefined {
  if (!did.startsWith(`${PREFIX}z`)) return undefined;
  const bytes = decodeMultibase(did.slice(PREFIX.length));
  if (bytes === undefined || bytes.length !== ED25519.length + KEY_BYTES) return undefined;
  return ED25519.every((byte, index) => bytes[index] === byte) ? bytes.slice(ED25519.length) : undefined;
}

/** The id of the only verification method of a `did:key`. */
export function verificationMethodOf(did: string): string {
  return `${did}#${did.slice(PREFIX.length)}`;
}
