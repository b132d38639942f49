import { randomBytes, randomUUID } from 'node:crypto';
import { type BadgeMessage, type BadgeRequest, EIP712_DOMAIN_NAME, toBadgeMessage } from '@badge/protocol';
import { toChecksumAddress } from '../packages/service/src/signatures/address.ts';
import { addressOfPrivateKey, signDigest } from '../packages/service/src/signatures/recover-signer.ts';
import { createTypedDataHasher } from '../packages/service/src/signatures/typed-data-hash.ts';

export const DOMAIN = {
  name: EIP712_DOMAIN_NAME,
  chainId: 137,
  verifyingContract: '0x2000000000000000000000000000000000000002',
} as const;

/** A signed message, and the request that contains it. */
export interface SignedRequest<Message> {
  message: Message;
  /** With checksum. */
  signer: string;
  /** 65 bytes as 0x hex. */
  signature: string;
  /** A complete POST request. */
  request: Buffer;
}

export const typedData = createTypedDataHasher(DOMAIN);

/**
 * Signs tokens, each with another key and headline. Uses the service's functions for this, because viem would need minutes.
 * The signatures are checked twice: by viem, in the reference, and by the service.
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
    const { signer, signature } = sign(typedData.badgeDigest(message));
    const body = { ...token, creator: signer, nftTypeId: 'defaultOrangeRed', signature };
    const request = postRequest('/v1/tokens', body, [`Authorization: Bearer ${apiKey}`]);
    return { message, signer, signature, request };
  });
}

/** Signs claims of one token, each by another wallet. */
export function signClaims(count: number, tokenId: number): SignedRequest<{ tokenId: number }>[] {
  const digest = typedData.tokenIdDigest('Claim', tokenId);
  return Array.from({ length: count }, () => {
    const { signer, signature } = sign(digest);
    const request = postRequest(`/v1/tokens/${tokenId}/claim`, { claimingAddress: signer, signature });
    return { message: { tokenId }, signer, signature, request };
  });
}

function sign(digest: Uint8Array): { signer: string; signature: string } {
  const privateKey = randomBytes(32);
  return {
    signer: toChecksumAddress(addressOfPrivateKey(privateKey)),
    signature: signDigest(digest, privateKey),
  };
}

function postRequest(path: string, body: object, headers: string[] = []): Buffer {
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}
