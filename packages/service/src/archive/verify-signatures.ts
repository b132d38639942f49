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

interface Signed {
  digest: Uint8Array;
  signer: string;
  signature: string;
  evidence: unknown;
}

/** Returns the verification of the lines of a file that has signatures; undefined for other files. */
export function createVerifier(
  noun: string,
  { chainId, verifyingContract }: Deployment,
): VerifyLine | undefined {
  const hasher = createTypedDataHasher({ name: EIP712_DOMAIN_NAME, chainId, verifyingContract });
  const readSigned = SIGNED[noun];
  if (readSigned === undefined) return undefined;
  return (line) => {
    const { typedDataVersion = TYPED_DATA_VERSION } = line;
    if (typedDataVersion !== TYPED_DATA_VERSION)
      return `the signature is of the types ${JSON.stringify(typedDataVersion)}, which this release does not know`;
    const signed = readSigned(line, hasher);
    if (signed === undefined) return 'the signature is of an unknown type';
    // A contract wallet has no key. Its chain confirmed the signature at the block that the evidence names.
    if (signed === null || signed.evidence !== null) return null;
    const signature = parseSignature(signed.signature);
    const signer = signature && recoverSigner(signed.digest, signature);
    return signer?.equals(parseAddress(signed.signer))
      ? null
      : `the signature is not that of ${signed.signer} over this line, in the domain of the archive`;
  };
}

/** Reads the signature of a line. Null: it has none. Undefined: it is of an unknown type. */
const SIGNED: Record<string, (line: Line, hasher: TypedDataHasher) => Signed | null | undefined> = {
  operations: readOperation,
  // The database refuses a line without a signature of a token that was not imported.
  tokens: (line, hasher) =>
    line.signature === null
      ? null
      : {
          ...(line as unknown as Signed),
          signer: String(line.creator),
          digest: hasher.badgeDigest(toBadgeMessage(line as unknown as Parameters<typeof toBadgeMessage>[0])),
        },
  signatures: (line, hasher) => {
    const { primaryType, tokenId } = line;
    if (!isTokenIdMessage(primaryType)) return undefined;
    return { ...(line as unknown as Signed), digest: hasher.tokenIdDigest(primaryType, Number(tokenId)) };
  },
  'claim-link-signatures': (line, hasher) => ({
    ...(line as unknown as Signed),
    digest: hasher.tokenIdDigest('AllowlistedAddress', Number(line.tokenId)),
  }),
};

// The consent of a wallet to get what is kept for an e-mail is in the request. Its bytes are hex without 0x.
function readOperation({ operationType, request }: Line, hasher: TypedDataHasher): Signed | null {
  if (operationType !== 'moveBadges' || request === null) return null;
  const { emailHash, nonce, toAddress, signature, evidence } = request as Record<string, unknown>;
  return {
    digest: hasher.receiveBadgesDigest({ emailHash: String(emailHash), nonce: Number(nonce) }),
    signer: `0x${toAddress}`,
    signature: `0x${signature}`,
    evidence: evidence ?? null,
  };
}

function isTokenIdMessage(name: unknown): name is TokenIdMessageName {
  return (
    typeof name === 'string' &&
    !['Badge', 'ReceiveBadges'].includes(name) &&
    Object.hasOwn(EIP712_TYPES, name)
  );
}
