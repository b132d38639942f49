import type { ErrorName, TokenIdPrimaryType } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { recoverSigner } from '../../signatures/recover-signer.ts';
import { parseSignature } from '../../signatures/signature.ts';
import { invalidSignature, Refusal } from '../refusal.ts';

/** Refuses a signature over a token's id that is malformed, or that the address did not make in this domain. */
export function checkSignedBy(
  context: Context,
  signed: {
    primaryType: TokenIdPrimaryType;
    tokenId: number;
    address: Uint8Array;
    signature: string;
    refusal: ErrorName;
  },
): void {
  const signature = parseSignature(signed.signature);
  if (signature === null) throw invalidSignature();
  const digest = context.typedData.tokenIdDigest(signed.primaryType, signed.tokenId);
  const signer = recoverSigner(digest, signature);
  if (signer === null || !Buffer.from(signer).equals(signed.address)) {
    const { chainId, verifyingContract } = context.settings.domain;
    throw new Refusal(
      signed.refusal,
      `The ${signed.primaryType} signature was not made by that address over {tokenId: ${signed.tokenId}} in this domain (chainId ${chainId}, verifyingContract ${verifyingContract}).`,
    );
  }
}
