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
  /**
   * Decrypts many short texts at once, and does not check that nobody has changed them: only to search and to
   * sort. A hundred times faster than `decrypt`. Null becomes an empty text.
   */
  skim(purpose: EncryptionPurpose, encrypted: (Uint8Array | null)[]): string[];
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
    skim: (purpose, encrypted) => skimTexts(keyFor('encrypt', purpose), encrypted),
    hash: (purpose, text) => createHmac('sha256', keyFor('hash', purpose)).update(text).digest(),
  };
}

const BLOCK_BYTES = 16;
/** GCM encrypts a text with the blocks of a counter from 2; block 1 is for the tag. */
const FIRST_COUNTER = 2;

// GCM adds to a text what AES makes of the nonce and a counter. So the counters of all texts are given to AES
// together, because to set up a cipher takes far longer than to use it.
function skimTexts(key: KeyObject, encrypted: (Uint8Array | null)[]): string[] {
  const sizes = encrypted.map((one) => Math.max(0, (one?.length ?? 0) - 1 - NONCE_BYTES - TAG_BYTES));
  const blocks = sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_BYTES), 0);
  const counters = Buffer.allocUnsafe(blocks * BLOCK_BYTES);
  let position = 0;
  for (const [index, one] of encrypted.entries()) {
    for (let block = 0; block * BLOCK_BYTES < (sizes[index] ?? 0); block += 1) {
      counters.set((one as Uint8Array).subarray(1, 1 + NONCE_BYTES), position);
      counters.writeUInt32BE(FIRST_COUNTER + block, position + NONCE_BYTES);
      position += BLOCK_BYTES;
    }
  }
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const stream = Buffer.concat([cipher.update(counters), cipher.final()]);
  let start = 0;
  return encrypted.map((one, index) => {
    const size = sizes[index] ?? 0;
    const from = start;
    start += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    for (let byte = 0; byte < size; byte += 1) {
      stream[from + byte] = (stream[from + byte] ?? 0) ^ (one?.[1 + NONCE_BYTES + byte] ?? 0);
    }
    return size === 0 ? '' : stream.toString('utf8', from, from + size);
  });
}

function wrongKey(purpose: EncryptionPurpose): WrongEncryptionKey {
  return new WrongEncryptionKey(
    `A stored ${purpose} cannot be decrypted with the encryption key of this process.`,
  );
}
