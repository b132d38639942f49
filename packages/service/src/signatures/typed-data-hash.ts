import {
  type BadgeMessage,
  EIP712_TYPES,
  type Eip712Domain,
  type ReceiveBadgesMessage,
  type TokenIdMessageName,
} from '@badge/protocol';
import { parseAddress } from './address.ts';
import { keccak256 } from './keccak.ts';

const WORD_BYTES = 32;
/** A digest is the hash of these bytes, the hash of the domain, and the hash of the message (EIP-712). */
const DIGEST_PREFIX = [0x19, 0x01];

/** A field's value: a string, uint256, bool, address or string[]. */
type FieldValue = string | number | boolean | Uint8Array | readonly string[];
type StructHasher<Name extends string> = (values: Readonly<Record<Name, FieldValue>>) => Uint8Array;

const hashBadge = createStructHasher('Badge', EIP712_TYPES.Badge);
const hashTokenId: Record<TokenIdMessageName, StructHasher<'tokenId'>> = {
  Claim: createStructHasher('Claim', EIP712_TYPES.Claim),
  Burn: createStructHasher('Burn', EIP712_TYPES.Burn),
  AllowlistedAddress: createStructHasher('AllowlistedAddress', EIP712_TYPES.AllowlistedAddress),
  CommunityAdminAirdrop: createStructHasher('CommunityAdminAirdrop', EIP712_TYPES.CommunityAdminAirdrop),
  CommunityAdminAirdropReceiverConsent: createStructHasher(
    'CommunityAdminAirdropReceiverConsent',
    EIP712_TYPES.CommunityAdminAirdropReceiverConsent,
  ),
};
const hashReceiveBadges = createStructHasher('ReceiveBadges', EIP712_TYPES.ReceiveBadges);
const hashDomain = createStructHasher('EIP712Domain', [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]);

export interface TypedDataHasher {
  badgeDigest(message: BadgeMessage): Uint8Array;
  tokenIdDigest(primaryType: TokenIdMessageName, tokenId: number): Uint8Array;
  receiveBadgesDigest(message: ReceiveBadgesMessage): Uint8Array;
}

/**
 * Creates the functions that return the 32-byte EIP-712 digest of a message in `domain`. They throw for a
 * number that is not an integer from 0 to 2^64 - 1, and for a text with a lone surrogate.
 */
export function createTypedDataHasher(domain: Eip712Domain): TypedDataHasher {
  const verifyingContract = parseAddress(domain.verifyingContract);
  const prefix = Buffer.from([...DIGEST_PREFIX, ...hashDomain({ ...domain, verifyingContract })]);

  function digest(structHash: Uint8Array): Uint8Array {
    const preimage = new Uint8Array(prefix.length + WORD_BYTES);
    preimage.set(prefix);
    preimage.set(structHash, prefix.length);
    return keccak256(preimage);
  }

  return {
    badgeDigest: (message) => digest(hashBadge(message)),
    tokenIdDigest: (primaryType, tokenId) => digest(hashTokenId[primaryType]({ tokenId })),
    receiveBadgesDigest: (message) => digest(hashReceiveBadges({ ...message })),
  };
}

function createStructHasher<Name extends string>(
  primaryType: string,
  fields: readonly { readonly name: Name; readonly type: string }[],
): StructHasher<Name> {
  const typeHash = hashText(`${primaryType}(${fields.map(({ name, type }) => `${type} ${name}`).join()})`);
  return (values) => {
    const encoded = Buffer.alloc(WORD_BYTES * (1 + fields.length));
    encoded.set(typeHash);
    let offset = WORD_BYTES;
    for (const { name } of fields) {
      writeWord(encoded, values[name], offset);
      offset += WORD_BYTES;
    }
    return keccak256(encoded);
  };
}

// Encodes a value as one word of 32 bytes (EIP-712, encodeData).
function writeWord(target: Buffer, value: FieldValue, offset: number): void {
  if (typeof value === 'string') target.set(hashText(value), offset);
  else if (typeof value === 'number') target.writeBigUInt64BE(BigInt(value), offset + WORD_BYTES - 8);
  else if (typeof value === 'boolean') target.writeUInt8(value ? 1 : 0, offset + WORD_BYTES - 1);
  else if (value instanceof Uint8Array) target.set(value, offset + WORD_BYTES - value.length);
  else target.set(hashTexts(value), offset);
}

function hashTexts(texts: readonly string[]): Uint8Array {
  const encoded = new Uint8Array(WORD_BYTES * texts.length);
  for (const [index, text] of texts.entries()) encoded.set(hashText(text), WORD_BYTES * index);
  return keccak256(encoded);
}

/**
 * Throws for a lone surrogate: UTF-8 replaces every lone surrogate by U+FFFD, so different texts would have
 * the same hash.
 */
function hashText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError('The text contains a lone surrogate.');
  return keccak256(Buffer.from(text, 'utf8'));
}
