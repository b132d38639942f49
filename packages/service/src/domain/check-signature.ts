import { type ErrorName, type TokenIdMessageName, TYPED_DATA_VERSION } from '@badge/protocol';
import type { Context } from '../context.ts';
import { type Address, toChecksumAddress } from '../signatures/address.ts';
import { recoverSigner } from '../signatures/recover-signer.ts';
import { parseSignature } from '../signatures/signature.ts';
import type { NewSignature } from '../storage/operations.ts';
import { Refusal } from './refusal.ts';

interface SignedDigest {
  /** EIP-712 digest in this service's domain. */
  digest: Uint8Array;
  signature: string;
  signer: Address;
  /** The name of the error if somebody else signed. */
  refusal: ErrorName;
  /** Whether the digest is of typed data, and so of the signing domain. Default: true. */
  isTypedData?: boolean;
  /** Returns the beginning of the detail of that error. Called only for an error. `checkSignature` adds the signing domain, if the digest is of typed data. */
  startDetail: () => string;
}

/** Throws unless `signer` signed the digest. Returns the signature as 65 bytes, with v 27 or 28. */
export function checkSignature(context: Context, signed: SignedDigest): Buffer {
  const signature = parseSignature(signed.signature);
  if (signature === null) {
    throw new Refusal(
      'InvalidSignature',
      'A signature must be 65 bytes in hex with v 27, 28, 0 or 1, or 64 bytes as in EIP-2098, with r and s in range and a low s.',
    );
  }
  const recovered = recoverSigner(signed.digest, signature);
  if (recovered === null || !recovered.equals(signed.signer)) {
    const { chainId, verifyingContract } = context.settings.domain;
    const { isTypedData = true } = signed;
    const inDomain = isTypedData
      ? ` in this domain (chainId ${chainId}, verifyingContract ${verifyingContract})`
      : '';
    throw new Refusal(signed.refusal, `${signed.startDetail()}${inDomain}.`);
  }
  return Buffer.concat([signature.compact, Buffer.of(27 + signature.recoveryId)]);
}

/** Throws unless `signer` signed the message `{tokenId}` of the given type. Returns the signature to store. */
export function checkTokenSignature(
  context: Context,
  {
    primaryType,
    tokenId,
    ...signed
  }: { primaryType: TokenIdMessageName; tokenId: number } & Pick<
    SignedDigest,
    'signature' | 'signer' | 'refusal'
  >,
): NewSignature {
  const signature = checkSignature(context, {
    ...signed,
    digest: context.typedData.tokenIdDigest(primaryType, tokenId),
    startDetail: () =>
      `The ${primaryType} signature of {tokenId: ${tokenId}} was not made by ${toChecksumAddress(signed.signer)}`,
  });
  return { primaryType, tokenId, signer: signed.signer, signature, typedDataVersion: TYPED_DATA_VERSION };
}
