import type { ViemAccount } from '@badge/sdk';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { findStored, writeStored } from '../../stored.ts';
import { toChecksumAddress } from '../../wallet/address.ts';

const STORED_AS = 'badge.console.testKey';
const WORD_BYTES = 32;

/** What the SDK passes to a signer. */
export interface TypedDataToSign {
  domain: { name: string; chainId: number; verifyingContract: string };
  primaryType: string;
  types: Readonly<Record<string, readonly Field[]>>;
  message: Readonly<Record<string, unknown>>;
}

type Field = { readonly name: string; readonly type: string };

const DOMAIN_FIELDS: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/** The test key of this browser, which is made at its first use. Only for a sandbox: a page must not keep another key. */
export function openTestKey(): ViemAccount {
  return toSigner(findKey() ?? makeKey());
}

/** A signer with a private key. */
export function toSigner(privateKey: Uint8Array): ViemAccount {
  const publicKey = secp256k1.getPublicKey(privateKey, false);
  const address = toChecksumAddress(`0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`);
  const signTypedData = async (typedData: TypedDataToSign) =>
    signDigest(hashTypedData(typedData), privateKey);
  return { address, signTypedData };
}

function findKey(): Uint8Array | null {
  const stored = findStored(STORED_AS);
  if (stored === null || !/^[0-9a-f]{64}$/.test(stored)) return null;
  const key = hexToBytes(stored);
  return secp256k1.utils.isValidSecretKey(key) ? key : null;
}

function makeKey(): Uint8Array {
  const key = secp256k1.utils.randomSecretKey();
  writeStored(STORED_AS, bytesToHex(key));
  return key;
}

function signDigest(digest: Uint8Array, privateKey: Uint8Array): string {
  // The first byte of this format is the recovery id.
  const [recoveryId = 0, ...compact] = secp256k1.sign(digest, privateKey, {
    prehash: false,
    format: 'recovered',
  });
  return `0x${bytesToHex(Uint8Array.of(...compact, recoveryId + 27))}`;
}

/** Returns the digest of EIP-712. The fields have only the types that the service uses. */
function hashTypedData({ domain, primaryType, types, message }: TypedDataToSign): Uint8Array {
  const hashes = [
    hashStruct('EIP712Domain', DOMAIN_FIELDS, domain),
    hashStruct(primaryType, types[primaryType] ?? [], message),
  ];
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), ...hashes));
}

function hashStruct(name: string, fields: readonly Field[], values: object): Uint8Array {
  const typeHash = hashText(`${name}(${fields.map((field) => `${field.type} ${field.name}`).join()})`);
  const words = fields.map((field) => toWord(field.type, (values as Record<string, unknown>)[field.name]));
  return keccak_256(concatBytes(typeHash, ...words));
}

function toWord(type: string, value: unknown): Uint8Array {
  if (type === 'string') return hashText(String(value));
  if (type === 'string[]') return keccak_256(concatBytes(...(value as string[]).map(hashText)));
  const digits = type === 'address' ? String(value).slice(2) : BigInt(value as number | boolean).toString(16);
  return hexToBytes(digits.toLowerCase().padStart(2 * WORD_BYTES, '0'));
}

function hashText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
}
