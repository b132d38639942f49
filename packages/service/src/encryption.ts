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
  | 'claimCode'
  | 'unsubscribeLink'
  | 'clientAddress';

/** Encrypts what the database stores, with a key that is not in the database. */
export interface Encryption {
  /** Encrypts a text for the row with this id. Two results for the same text differ. */
  encrypt(purpose: EncryptionPurpose, rowId: string, text: string): Buffer;
  /**
   * Returns the text. Throws `WrongEncryptionKey` if the bytes were encrypted with another key, for another
   * purpose or for another row, or were changed.
   */
  decrypt(purpose: EncryptionPurpose, rowId: string, encrypted: Uint8Array): string;
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

  return {
    encrypt: (purpose, rowId, text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyFor('encrypt', purpose), nonce);
      cipher.setAAD(Buffer.from(rowId));
      const content = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(FORMAT), nonce, ...content, cipher.getAuthTag()]);
    },
    decrypt: (purpose, rowId, encrypted) => {
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
        return Buffer.concat([content, decipher.final()]).toString('utf8');
      } catch {
        throw wrongKey(purpose);
      }
    },
    hash: (purpose, text) => createHmac('sha256', keyFor('hash', purpose)).update(text).digest(),
  };
}

function wrongKey(purpose: EncryptionPurpose): WrongEncryptionKey {
  return new WrongEncryptionKey(
    `A stored ${purpose} cannot be decrypted with the encryption key of this process.`,
  );
}
