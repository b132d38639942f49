import { type ErrorName, LIMITS, type TokenIdMessageName, TYPED_DATA_VERSION } from '@badge/protocol';
import { ChainUnavailable } from '../chain/chain.ts';
import { type ContractVerdict, verifyWithContract } from '../chain/contract-signature.ts';
import type { Context } from '../context.ts';
import { type Address, toChecksumAddress } from '../signatures/address.ts';
import type { ContractEvidence } from '../signatures/contract-evidence.ts';
import { recoverSigner } from '../signatures/recover-signer.ts';
import { parseSignature, parseSignatureBytes } from '../signatures/signature.ts';
import type { NewSignature } from '../storage/operations.ts';
import { readWalletChainId } from './communities/read-community.ts';
import { Refusal } from './refusal.ts';

/**
 * Runs calls of a chain for the caller of a request, when it is its turn. `calls` is how many contracts or
 * names are asked. Throws `RateLimited` if the caller has caused too many.
 */
export type RunChainCalls = <T>(calls: number, work: () => Promise<T>) => Promise<T>;

/** Runs the transaction of a request, when it is its turn. */
export type RunWrite = <T>(work: () => Promise<T>) => Promise<T>;

interface SignedDigest {
  /** EIP-712 digest in this service's domain. */
  digest: Uint8Array;
  signature: string;
  signer: Address;
  /** The name of the error if somebody else signed. */
  refusal: ErrorName;
  /** Whether the digest is of typed data, and so of the signing domain. Default: true. */
  isTypedData?: boolean;
  /**
   * Returns the beginning of the detail of that error. Called only for an error. `beginSignatureCheck` adds
   * the signing domain, if the digest is of typed data.
   */
  startDetail: () => string;
  /** Returns the chain on which the signer can be a contract. Called only if its contract must be asked. */
  findChainId: () => Promise<number>;
  runChainCalls: RunChainCalls;
}

/** A signature that was checked, as it is stored. */
export interface CheckedSignature {
  /** 65 bytes with v 27 or 28; if a contract has confirmed it, as it was sent. */
  signature: Buffer;
  /** Null if the signer's key has signed. */
  evidence: ContractEvidence | null;
}

/** A signature that is not wrong so far. */
export interface SignatureCheck<Checked> {
  /**
   * Asks the contract of the signer, if the signature was not made by its key. Throws if the signer has not
   * signed, or if the contract cannot be asked. To be called after all other checks, because it can take
   * seconds, and never in a transaction.
   */
  finish(): Promise<Checked>;
}

/**
 * Begins to check that `signer` signed the digest. Throws for a malformed signature, and if only a contract
 * could accept the signature, but none can be asked. The signature of a key is checked here, and `finish`
 * then does nothing.
 */
export function beginSignatureCheck(
  context: Context,
  signed: SignedDigest,
): SignatureCheck<CheckedSignature> {
  const ofKey = parseSignature(signed.signature);
  const recovered = ofKey && recoverSigner(signed.digest, ofKey);
  if (ofKey !== null && recovered?.equals(signed.signer)) {
    const signature = Buffer.concat([ofKey.compact, Buffer.of(27 + ofKey.recoveryId)]);
    return { finish: async () => ({ signature, evidence: null }) };
  }
  const bytes = parseSignatureBytes(signed.signature, LIMITS.signatureBytes);
  if (bytes === null) throw malformedSignature();
  // Without a contract, a signature that a key can have made was made by another key.
  const withoutContract = (reason: string) =>
    ofKey === null ? malformedSignature(looksLikeKeys(bytes) ? '' : reason) : notSigned(context, signed);
  if (context.chains.size === 0) throw withoutContract(NO_ENDPOINTS);

  async function finish(signature: Buffer): Promise<CheckedSignature> {
    const chainId = await signed.findChainId();
    const chain = context.chains.get(chainId);
    if (chain === undefined) throw withoutContract(describeMissingEndpoint(chainId));
    const { signer, digest: hash } = signed;
    const verdict = await signed
      .runChainCalls(1, () => verifyWithContract(chain, { signer, hash, signature }))
      .catch(refuseChainErrors(chainId));
    return acceptVerdict(verdict, signature);
  }

  function acceptVerdict(verdict: ContractVerdict, signature: Buffer): CheckedSignature {
    if (verdict.kind === 'valid') return { signature, evidence: verdict.evidence };
    throw verdict.kind === 'refused' ? notSigned(context, signed) : withoutContract(NO_CONTRACT);
  }

  return { finish: () => finish(bytes) };
}

/**
 * Returns a function that turns the errors of a chain's endpoints into refusals, and throws every other
 * error.
 */
export function refuseChainErrors(chainId: number): (error: unknown) => never {
  return (error) => {
    if (error instanceof ChainUnavailable) {
      throw new Refusal(
        'ChainUnavailable',
        `No endpoint of chain ${chainId} has given a usable response. The request can be repeated.`,
        { retryAfterSeconds: CHAIN_RETRY_SECONDS },
      );
    }
    throw error;
  };
}

const CHAIN_RETRY_SECONDS = 5;

const SHAPE =
  'A signature must be 65 bytes in hex with v 27, 28, 0 or 1, or 64 bytes as in EIP-2098, with r and s in range and a low s.';
const NO_ENDPOINTS = 'the service has no endpoint of any chain (BADGE_CHAIN_RPC_URLS).';
const NO_CONTRACT =
  'there is no contract at the address of the signer. A wallet that is not deployed yet signs as in ERC-6492.';

function describeMissingEndpoint(chainId: number): string {
  return `the service has no endpoint of chain ${chainId}.`;
}

function malformedSignature(reason = ''): Refusal {
  const ofContract = `Another signature, of up to ${LIMITS.signatureBytes} bytes, is that of a contract wallet, which cannot be asked here:`;
  return new Refusal('InvalidSignature', reason === '' ? SHAPE : `${SHAPE} ${ofContract} ${reason}`);
}

function looksLikeKeys({ length }: Buffer): boolean {
  return length === 64 || length === 65;
}

function notSigned({ settings }: Context, signed: SignedDigest): Refusal {
  const { chainId, verifyingContract } = settings.domain;
  const { isTypedData = true } = signed;
  const inDomain = isTypedData
    ? ` in this domain (chainId ${chainId}, verifyingContract ${verifyingContract})`
    : '';
  return new Refusal(signed.refusal, `${signed.startDetail()}${inDomain}.`);
}

/**
 * Begins to check that `signer` signed the message `{tokenId}` of the given type. A wallet of the signer is
 * one on the chain that the community has named. Its result is the signature to store.
 */
export function beginTokenSignatureCheck(
  context: Context,
  {
    primaryType,
    token: { token_id: tokenId, community_id: communityId },
    ...signed
  }: {
    primaryType: TokenIdMessageName;
    token: { token_id: number; community_id: string };
  } & Pick<SignedDigest, 'signature' | 'signer' | 'refusal' | 'runChainCalls'>,
): SignatureCheck<NewSignature> {
  const check = beginSignatureCheck(context, {
    ...signed,
    digest: context.typedData.tokenIdDigest(primaryType, tokenId),
    startDetail: () =>
      `The ${primaryType} signature of {tokenId: ${tokenId}} was not made by ${toChecksumAddress(signed.signer)}`,
    findChainId: () => readWalletChainId(context, communityId),
  });
  return {
    finish: async () => {
      const checked = await check.finish();
      return {
        primaryType,
        tokenId,
        signer: signed.signer,
        ...checked,
        typedDataVersion: TYPED_DATA_VERSION,
      };
    },
  };
}

/** Begins to check that the creator of a token signed a change of its allowlist. */
export function beginCreatorCheck(
  context: Context,
  token: { token_id: number; community_id: string; creator: Address },
  signature: string,
  runChainCalls: RunChainCalls,
): SignatureCheck<NewSignature> {
  return beginTokenSignatureCheck(context, {
    primaryType: 'AllowlistedAddress',
    token,
    signer: token.creator,
    signature,
    refusal: 'NotSignedByCreator',
    runChainCalls,
  });
}
