import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { CredentialIdentity } from './verification.ts';

/** Something that says who the owner of a badge is, besides the wallet. */
export type BadgeIdentity =
  /** `hash` is the SHA-256 of the e-mail address and the salt, in hex, as `hashIdentity` returns it. */
  { type: 'emailAddress'; hash: string; salt: string } | { type: 'name'; name: string };

/** An identity as an `IdentityObject` of Open Badges 3.0, without its type. */
export function toIdentityObject(identity: BadgeIdentity) {
  return identity.type === 'name'
    ? { hashed: false, identityHash: identity.name, identityType: identity.type }
    : {
        hashed: true,
        identityHash: `sha256$${identity.hash}`,
        identityType: identity.type,
        salt: identity.salt,
      };
}

/**
 * Returns the hash of an identity as Open Badges 3.0 defines it: the SHA-256 of the text and the salt, one
 * after the other, in UTF-8. In hex.
 */
export function hashIdentity(text: string, salt: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text + salt)));
}

/**
 * Whether an identity is one of these texts, or the hash of one. They should be all spellings of what
 * somebody has typed, because a hash has one spelling only. Null: it is hashed in a way that is not checked
 * here, such as MD5, for which it is easy to make two texts with the same hash.
 */
export function matchesIdentity({ text: plain, hash }: CredentialIdentity, texts: string[]): boolean | null {
  if (hash === null) return texts.some((text) => text === plain);
  if (hash.algorithm !== 'sha256') return null;
  return texts.some((text) => hashIdentity(text, hash.salt) === hash.hex);
}
