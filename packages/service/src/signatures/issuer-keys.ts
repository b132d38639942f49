import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

// A change of this label changes every key.
// docs/decisions/0049-a-credential-is-signed-by-a-key-of-its-community.md
const LABEL = 'badge/issuer-key/1';
const KEY_BYTES = 32;
// What precedes the 32 bytes of an Ed25519 key in its encoding (RFC 8410).
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const MAX_KEPT_KEYS = 1_000;

/** A key of a community. A rotation begins the next generation. */
export interface IssuerKeyId {
  communityId: string;
  generation: number;
}

/**
 * The keys with which the service signs credentials. Each follows from the seed, the id of the community and
 * the generation.
 */
export interface IssuerKeys {
  /** The public key, 32 bytes. */
  publicKeyOf(key: IssuerKeyId): Buffer;
  /** Signs with Ed25519. Returns 64 bytes, the same ones for the same input. */
  sign(key: IssuerKeyId, bytes: Uint8Array): Buffer;
}

export function createIssuerKeys(seed: KeyObject): IssuerKeys {
  const keys = new LRUCache<string, { privateKey: KeyObject; publicKey: Buffer }>({ max: MAX_KEPT_KEYS });

  function deriveKey({ communityId, generation }: IssuerKeyId) {
    const name = `${communityId}/${generation}`;
    const known = keys.get(name);
    if (known !== undefined) return known;
    const secret = Buffer.from(hkdfSync('sha256', seed, '', `${LABEL}/${name}`, KEY_BYTES));
    const encoded = Buffer.concat([PRIVATE_KEY_PREFIX, secret]);
    const privateKey = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
    secret.fill(0);
    encoded.fill(0);
    const publicKey = createPublicKey(privateKey)
      .export({ format: 'der', type: 'spki' })
      .subarray(-KEY_BYTES);
    const key = { privateKey, publicKey };
    keys.set(name, key);
    return key;
  }

  return {
    publicKeyOf: (key) => deriveKey(key).publicKey,
    sign: (key, bytes) => signBytes(null, bytes, deriveKey(key).privateKey),
  };
}
