import { randomBytes, randomUUID } from 'node:crypto';
import { type BadgeMessage, type BadgeRequest, EIP712_DOMAIN_NAME, toBadgeMessage } from '@badge/protocol';
import { toChecksumAddress } from '../../packages/service/src/signatures/address.ts';
import { addressOfPrivateKey, signDigest } from '../../packages/service/src/signatures/sign-digest.ts';
import { createTypedDataHasher } from '../../packages/service/src/signatures/typed-data-hash.ts';

export const DOMAIN = {
  name: EIP712_DOMAIN_NAME,
  chainId: 137,
  verifyingContract: '0x2000000000000000000000000000000000000002',
} as const;

export interface WriteRequest {
  /** A complete HTTP/1.1 request. */
  request: Buffer;
}

/** A signed message, and the request that contains it. */
export interface SignedRequest<Message> extends WriteRequest {
  message: Message;
  /** With checksum. */
  signer: string;
  /** 65 bytes as 0x hex. */
  signature: string;
}

export const typedData = createTypedDataHasher(DOMAIN);

/**
 * Signs tokens, each with another private key and headline. Uses the service's functions for this, because
 * viem would need minutes. A wrong signature would be noticed: the service checks all that it receives, and
 * viem checks those of the references.
 */
export function signCreations(
  count: number,
  { communityId, apiKey }: { communityId: string; apiKey: string },
): SignedRequest<BadgeMessage>[] {
  return Array.from({ length: count }, () => {
    const token: BadgeRequest = {
      headline: `Speaker ${randomUUID()}`,
      description: 'For a talk at the annual meeting of the community, in the main hall.',
      links: ['https://example.org/meeting/2026'],
      communityId,
      isSignatureRequired: false,
      isAllowlistRequired: false,
      totalClaimCount: 1_000_000,
    };
    const message = toBadgeMessage(token);
    const { signer, signature } = sign(typedData.badgeDigest(message), randomBytes(32));
    const body = { ...token, creator: signer, nftTypeId: 'defaultOrangeRed', signature };
    const request = jsonRequest('POST', '/v1/tokens', body, apiKey);
    return { message, signer, signature, request };
  });
}

/** Signs claims of one token, each by another wallet. */
export function signClaims(count: number, tokenId: number): SignedRequest<{ tokenId: number }>[] {
  return createPrivateKeys(count).map((privateKey) => signClaim(tokenId, privateKey));
}

/** Signs claims of one token, each by another wallet, and the burns of what they claim. */
export function signClaimsAndBurns(count: number, tokenId: number) {
  const privateKeys = createPrivateKeys(count);
  const digest = typedData.tokenIdDigest('Burn', tokenId);
  return {
    claims: privateKeys.map((privateKey) => signClaim(tokenId, privateKey)),
    burns: privateKeys.map((privateKey): WriteRequest => {
      const { signer, signature } = sign(digest, privateKey);
      const body = { burningAddress: signer, signature };
      return { request: jsonRequest('POST', `/v1/tokens/${tokenId}/burn`, body) };
    }),
  };
}

/** Requests that hide tokens, and then show them again. */
export function hideAndShow(tokenIds: number[], { apiKey }: { apiKey: string }): WriteRequest[] {
  return [true, false].flatMap((isHidden) =>
    tokenIds.map((id) => ({ request: jsonRequest('PATCH', `/v1/tokens/${id}`, { isHidden }, apiKey) })),
  );
}

function createPrivateKeys(count: number): Buffer[] {
  return Array.from({ length: count }, () => randomBytes(32));
}

function signClaim(tokenId: number, privateKey: Buffer): SignedRequest<{ tokenId: number }> {
  const { signer, signature } = sign(typedData.tokenIdDigest('Claim', tokenId), privateKey);
  const body = { claimingAddress: signer, signature };
  const request = jsonRequest('POST', `/v1/tokens/${tokenId}/claim`, body);
  return { message: { tokenId }, signer, signature, request };
}

function sign(digest: Uint8Array, privateKey: Buffer): { signer: string; signature: string } {
  return {
    signer: toChecksumAddress(addressOfPrivateKey(privateKey)),
    signature: signDigest(digest, privateKey),
  };
}

function jsonRequest(method: string, path: string, body: object, apiKey?: string): Buffer {
  const text = JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...(apiKey === undefined ? [] : [`Authorization: Bearer ${apiKey}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}
