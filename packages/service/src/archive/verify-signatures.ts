import {
  EIP712_DOMAIN_NAME,
  EIP712_TYPES,
  type TokenIdMessageName,
  TYPED_DATA_VERSION,
  toBadgeMessage,
} from '@badge/protocol';
import { parseAddress } from '../signatures/address.ts';
import { recoverSigner } from '../signatures/recover-signer.ts';
import { parseSignature } from '../signatures/signature.ts';
import { createTypedDataHasher, type TypedDataHasher } from '../signatures/typed-data-hash.ts';
import type { Deployment } from '../storage/deployment.ts';

type Line = Record<string, unknown>;

/** Returns what is wrong with the signature of a line, or null. The line is valid. */
export type VerifyLine = (line: Line) => string | null;

/** Returns the verification of the lines of a file whose lines are signed; undefined for other files. */
export function createVerifier(
  noun: string,
  { chainId, verifyingContract }: Deployment,
): VerifyLine | undefined {
  const hasher = createTypedDataHasher({ name: EIP712_DOMAIN_NAME, chainId, verifyingContract });
  const digestOf = DIGESTS[noun];
  if (digestOf === undefined) return undefined;
  return (line) => {
    if (line.typedDataVersion !== TYPED_DATA_VERSION)
      return `the signature is of the types ${JSON.stringify(line.typedDataVersion)}, which this release does not know`;
    // A contract wallet has no key. Its chain confirmed the signature at the block that the evidence names.
    if (line.evidence !== null) return null;
    const digest = digestOf(line, hasher);
    if (digest === null) return 'the signature is of an unknown type';
    const signature = parseSignature(String(line.signature));
    const signer = signature && recoverSigner(digest, signature);
    const expected = String(line.signer ?? line.creator);
    return signer?.equals(parseAddress(expected))
      ? null
      : `the signature is not that of ${expected} over this line, in the domain of the archive`;
  };
}

const DIGESTS: Record<string, (line: Line, hasher: TypedDataHasher) => Uint8Array | null> = {
  tokens: (line, hasher) =>
    hasher.badgeDigest(toBadgeMessage(line as unknown as Parameters<typeof toBadgeMessage>[0])),
  signatures: ({ primaryType, tokenId }, hasher) =>
    isTokenIdMessage(primaryType) ? hasher.tokenIdDigest(primaryType, Number(tokenId)) : null,
  'claim-link-signatures': ({ tokenId }, hasher) =>
    hasher.tokenIdDigest('AllowlistedAddress', Number(tokenId)),
};

function isTokenIdMessage(name: unknown): name is TokenIdMessageName {
  return typeof name === 'string' && name !== 'Badge' && Object.hasOwn(EIP712_TYPES, name);
}
