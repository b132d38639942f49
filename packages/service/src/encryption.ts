import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

// A change of a label makes everything that was encrypted with it unreadable.
const LABEL = 'badge/encryption/1';
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** The first byte of an encrypted text: its format. */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * What is encrypted. Each purpose has a key of its own, so a value of one purpose is not readable as one of
 * another.
 */
export type EncryptionPurpose =
  | 'webhookSecret'
  | 'webhookUrl'
  | 'emailAddress'
  | 'personName'
  | 'personNote'
  | 'claimCode'
  | 'unsubscribeLink'
  | 'clientAddress'
  | 'signInCode'
  | 'transferPiece';

/** Encrypts what the database stores, with a key that is not in the database. */
export interface Encryption {
  /** Encrypts a text or bytes for the row with this id. Two results for the same text differ. */
  encrypt(purpose: EncryptionPurpose, rowId: string, text: string | Uint8Array): Buffer;
  /**
   * Returns the text. Throws `WrongEncryptionKey` if the bytes were encrypted with another key, for another
   * purpose or for another row, or were changed.
   */
  decrypt(purpose: EncryptionPurpose, rowId: string, encrypted: Uint8Array): string;
  /** As `decrypt`, of bytes that are no text. */
  decryptBytes(purpose: EncryptionPurpose, rowId: string, encrypted: Uint8Array): Buffer;
  /**
   * Decrypts many short texts at once, and does not check that nobody has changed them: only to search and to
   * sort. `encrypted` has them one after the other, with these sizes; null or 0 is an empty text. Returns
   * them joined by `TEXT_END`.
   */
  skim(purpose: EncryptionPurpose, encrypted: Uint8Array, sizes: (number | null)[]): string;
  /** A keyed hash of 32 bytes, by which equal texts can be found without being readable. */
  hash(purpose: EncryptionPurpose, text: string): Buffer;
}

/**
 * Something cannot be decrypted with the key of this process. The message has neither the key nor the bytes.
 */
export class WrongEncryptionKey extends Error {
  override name = 'WrongEncryptionKey';
}

export function createEncryption(key: KeyObject): Encryption {
  const keys = new Map<string, KeyObject>();

  function keyFor(use: 'encrypt' | 'hash', purpose: EncryptionPurpose): KeyObject {
    const label = `${LABEL}/${use}/${purpose}`;
    const known = keys.get(label);
    if (known !== undefined) return known;
    const bytes = Buffer.from(hkdfSync('sha256', key, '', label, KEY_BYTES));
    const derived = createSecretKey(bytes);
    bytes.fill(0);
    keys.set(label, derived);
    return derived;
  }

  function decryptBytes(purpose: EncryptionPurpose, rowId: string, encrypted: Uint8Array): Buffer {
    const bytes = Buffer.from(encrypted);
    if (bytes[0] !== FORMAT || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) throw wrongKey(purpose);
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, keyFor('encrypt', purpose), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(rowId));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const content = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([content, decipher.final()]);
    } catch {
      throw wrongKey(purpose);
    }
  }

  return {
    encrypt: (purpose, rowId, text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyFor('encrypt', purpose), nonce);
      cipher.setAAD(Buffer.from(rowId));
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      const content = [cipher.update(bytes), cipher.final()];
      return Buffer.concat([Buffer.of(FORMAT), nonce, ...content, cipher.getAuthTag()]);
    },
    decrypt: (purpose, rowId, encrypted) => decryptBytes(purpose, rowId, encrypted).toString('utf8'),
    decryptBytes,
    skim: (purpose, encrypted, sizes) => skimTexts(keyFor('encrypt', purpose), encrypted, sizes),
    hash: (purpose, text) => createHmac('sha256', keyFor('hash', purpose)).update(text).digest(),
  };
}

/** Between the texts of `skim`: a character that neither they nor texts of PostgreSQL have. */
export const TEXT_END = '\0';
const BLOCK_BYTES = 16;
const SPACE = 0x20;
/** GCM encrypts a text with the blocks of a counter from 2; block 1 is for the tag. */
const FIRST_COUNTER = 2;

// GCM adds to a text what AES makes of the nonce and a counter. So the counters of all texts are given to AES
// together, because to set up a cipher takes far longer than to use it. For the same reason, bytes are copied
// one by one, and the texts become one string.
function skimTexts(key: KeyObject, encrypted: Uint8Array, sizes: (number | null)[]): string {
  const textBytes = sizes.map((size) => Math.max(0, (size ?? 0) - 1 - NONCE_BYTES - TAG_BYTES));
  const blocks = textBytes.reduce((sum, bytes) => sum + Math.ceil(bytes / BLOCK_BYTES), 0);
  const counters = Buffer.alloc(blocks * BLOCK_BYTES);
  let start = 0;
  let block = 0;
  for (const [index, size] of sizes.entries()) {
    const end = block + Math.ceil((textBytes[index] ?? 0) / BLOCK_BYTES);
    for (let counter = FIRST_COUNTER; block < end; counter += 1) {
      const position = block * BLOCK_BYTES;
      for (let byte = 0; byte < NONCE_BYTES; byte += 1) {
        counters[position + byte] = encrypted[start + 1 + byte] ?? 0;
      }
      counters.writeUInt32BE(counter, position + NONCE_BYTES);
      block += 1;
    }
    start += size ?? 0;
  }
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const stream = Buffer.concat([cipher.update(counters), cipher.final()]);
  const texts = Buffer.alloc(textBytes.reduce((sum, bytes) => sum + bytes + 1, 0));
  let to = 0;
  start = 0;
  block = 0;
  for (const [index, size] of sizes.entries()) {
    const bytes = textBytes[index] ?? 0;
    for (let byte = 0; byte < bytes; byte += 1) {
      const text =
        (stream[block * BLOCK_BYTES + byte] ?? 0) ^ (encrypted[start + 1 + NONCE_BYTES + byte] ?? 0);
      // Only bytes of another key can be 0.
      texts[to + byte] = text || SPACE;
    }
    block += Math.ceil(bytes / BLOCK_BYTES);
    to += bytes + TEXT_END.length;
    start += size ?? 0;
  }
  return texts.toString('utf8', 0, Math.max(0, to - TEXT_END.length));
}

function wrongKey(purpose: EncryptionPurpose): WrongEncryptionKey {
  return new WrongEncryptionKey(
    `A stored ${purpose} cannot be decrypted with the encryption key of this process.`,
  );
}
