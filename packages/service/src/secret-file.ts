import { createSecretKey, type KeyObject } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export const SECRET_BYTES = 32;
/** The fewest different bytes of a secret. 32 random bytes have fewer with a probability below 1e-13. */
const MIN_DISTINCT_BYTES = 16;
const ADVICE = '(umask 077; head -c 32 /dev/urandom > FILE) creates one';

export type SecretKind = 'a seed' | 'an encryption key';

/**
 * Reads a seed, or the encryption key. The key object never shows its bytes in logs or JSON. Throws an error
 * that names the file, without its content, unless the file has 32 random bytes and other users cannot read
 * it.
 */
export function readSecretFile(file: string, kind: SecretKind): KeyObject {
  const bytes = Buffer.alloc(SECRET_BYTES + 1);
  const descriptor = openSync(file, 'r');
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is not a file`);
    if (isExposed(stats)) {
      throw new Error(`other users can read ${file}, or can change it: run chmod 600, or use another file`);
    }
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    if (length !== SECRET_BYTES || stats.size !== SECRET_BYTES) {
      throw new Error(`${file} has ${stats.size} bytes, but ${kind} has ${SECRET_BYTES}. ${ADVICE}`);
    }
    const secret = bytes.subarray(0, SECRET_BYTES);
    if (isGuessable(secret)) throw new Error(`${file} has a text or a pattern, not random bytes. ${ADVICE}`);
    return createSecretKey(secret);
  } finally {
    closeSync(descriptor);
    bytes.fill(0);
  }
}

/**
 * Whether other users can read or change a file. Containers and systemd mount a secret as a file of root that
 * the group of the service can read.
 */
export function isExposed({ mode, uid }: { mode: number; uid: number }): boolean {
  const mayGroupRead = uid === 0 && process.geteuid?.() !== 0;
  return (mode & (mayGroupRead ? 0o037 : 0o077)) !== 0;
}

// A password or hex digits of 32 characters have much less than 256 random bits.
function isGuessable(secret: Uint8Array): boolean {
  const isText = secret.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText || new Set(secret).size < MIN_DISTINCT_BYTES;
}
