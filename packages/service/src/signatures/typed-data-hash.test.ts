import { type BadgeMessage, EIP712_TYPES, type Eip712Domain, toBadgeMessage } from '@badge/protocol';
import {
  type MessageTypes,
  SignTypedDataVersion,
  TypedDataUtils,
  type TypedMessage,
} from '@metamask/eth-sig-util';
import { TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { describe, expect, test } from 'vitest';
import vectors from '../../../../tests/vectors/typed-data.json' with { type: 'json' };
import { createTypedDataHasher } from './typed-data-hash.ts';

const SANDBOX: Eip712Domain = { ...vectors.domains.sandbox, name: 'Badge' };
const PRODUCTION: Eip712Domain = { ...vectors.domains.production, name: 'Badge' };
const TOKEN_ID_TYPES = [
  'Claim',
  'Burn',
  'AllowlistedAddress',
  'CommunityAdminAirdrop',
  'CommunityAdminAirdropReceiverConsent',
] as const;
const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

const toHex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`;
const toDomain = (environment: string) => (environment === 'sandbox' ? SANDBOX : PRODUCTION);

function hashWithLibraries(domain: Eip712Domain, primaryType: keyof typeof EIP712_TYPES, values: object) {
  const types: Record<string, typeof DOMAIN_TYPE> = { [primaryType]: [...EIP712_TYPES[primaryType]] };
  const message = { ...values };
  const forMetamask: TypedMessage<MessageTypes> = {
    domain,
    types: { ...types, EIP712Domain: DOMAIN_TYPE },
    primaryType,
    message,
  };
  return {
    ethers: () => TypedDataEncoder.hash(domain, types, message),
    viem: () => hashTypedData({ domain: toViemDomain(domain), types, primaryType, message }),
    metamask: () => toHex(TypedDataUtils.eip712Hash(forMetamask, SignTypedDataVersion.V4)),
  };
}

// viem has the type `0x${string}` for addresses.
function toViemDomain(domain: Eip712Domain) {
  return { ...domain, verifyingContract: toHex(Buffer.from(domain.verifyingContract.slice(2), 'hex')) };
}

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
const anyNumber = fc.oneof(
  fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat(),
);
const anyOptional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const anyMessage = fc
  .record(
    {
      headline: anyText,
      description: anyOptional(anyText),
      startDateTimestamp: anyOptional(anyNumber),
      endDateTimestamp: anyOptional(anyNumber),
      links: anyOptional(fc.array(anyText, { maxLength: 50, size: 'max' })),
      communityId: anyText,
      isSignatureRequired: fc.boolean(),
      isAllowlistRequired: fc.boolean(),
      totalClaimCount: anyOptional(anyNumber),
      expirationTimestamp: anyOptional(anyNumber),
    },
    { requiredKeys: ['headline', 'communityId', 'isSignatureRequired', 'isAllowlistRequired'] },
  )
  .map(toBadgeMessage);
const anyDomain = fc.record({
  name: fc.constant('Badge' as const),
  chainId: anyNumber,
  verifyingContract: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex),
});

describe('the digest of any message in any domain', () => {
  test.each(['ethers', 'viem'] as const)('equals that of %s', (library) => {
    fc.assert(
      fc.property(anyDomain, anyMessage, (domain, message) => {
        const digest = toHex(createTypedDataHasher(domain).badgeDigest(message));
        expect(digest).toBe(hashWithLibraries(domain, 'Badge', message)[library]());
      }),
    );
  });

  test.each(TOKEN_ID_TYPES)('equals that of ethers and viem: %s', (primaryType) => {
    fc.assert(
      fc.property(anyDomain, anyNumber, (domain, tokenId) => {
        const digest = toHex(createTypedDataHasher(domain).tokenIdDigest(primaryType, tokenId));
        const { ethers, viem } = hashWithLibraries(domain, primaryType, { tokenId });
        expect(digest).toBe(ethers());
        expect(digest).toBe(viem());
      }),
    );
  });

  test('equals that of ethers and viem: ReceiveBadges', () => {
    fc.assert(
      fc.property(anyDomain, anyText, anyNumber, (domain, emailHash, nonce) => {
        const message = { emailHash, nonce };
        const digest = toHex(createTypedDataHasher(domain).receiveBadgesDigest(message));
        const { ethers, viem } = hashWithLibraries(domain, 'ReceiveBadges', message);
        expect(digest).toBe(ethers());
        expect(digest).toBe(viem());
      }),
    );
  });
});

describe('the hasher and the libraries return the digest of the vector', () => {
  test.each(vectors.vectors)('$name ($environment)', ({ environment, request, digest }) => {
    const domain = toDomain(environment);
    const message = toBadgeMessage(request);
    const hashes = hashWithLibraries(domain, 'Badge', message);
    expect(toHex(createTypedDataHasher(domain).badgeDigest(message))).toBe(digest);
    expect([hashes.ethers(), hashes.viem(), hashes.metamask()]).toStrictEqual([digest, digest, digest]);
  });

  test.each(vectors.tokenIdMessages)('$primaryType of token $tokenId', (vector) => {
    const primaryType = TOKEN_ID_TYPES.find((name) => name === vector.primaryType);
    if (primaryType === undefined) throw new Error(`The type ${vector.primaryType} is unknown.`);
    const domain = toDomain(vector.environment);
    const digest = createTypedDataHasher(domain).tokenIdDigest(primaryType, vector.tokenId);
    expect(toHex(digest)).toBe(vector.digest);
    const hashes = hashWithLibraries(domain, primaryType, { tokenId: vector.tokenId });
    expect([hashes.ethers(), hashes.viem(), hashes.metamask()]).toStrictEqual(Array(3).fill(vector.digest));
  });

  test.each(vectors.receiveBadgesMessages)('ReceiveBadges with nonce $nonce ($environment)', (vector) => {
    const { emailHash, nonce } = vector;
    const domain = toDomain(vector.environment);
    expect(toHex(createTypedDataHasher(domain).receiveBadgesDigest({ emailHash, nonce }))).toBe(
      vector.digest,
    );
    const hashes = hashWithLibraries(domain, 'ReceiveBadges', { emailHash, nonce });
    expect([hashes.ethers(), hashes.viem(), hashes.metamask()]).toStrictEqual(Array(3).fill(vector.digest));
  });
});

const MESSAGE = toBadgeMessage({
  headline: 'A',
  communityId: 'demo',
  isSignatureRequired: false,
  isAllowlistRequired: false,
  totalClaimCount: 1,
});

describe('the digest differs for', () => {
  const digestOf = (message: BadgeMessage, domain = SANDBOX) =>
    toHex(createTypedDataHasher(domain).badgeDigest(message));

  test.each<[string, Partial<BadgeMessage>]>([
    ['headline', { headline: 'a' }],
    ['description', { description: 'A' }],
    ['startDateTimestamp', { startDateTimestamp: 1 }],
    ['endDateTimestamp', { endDateTimestamp: 1 }],
    ['links', { links: [''] }],
    ['communityUniqId', { communityUniqId: 'Demo' }],
    ['isSignatureRequired', { isSignatureRequired: true }],
    ['isAllowlistRequired', { isAllowlistRequired: true }],
    ['totalClaimCount', { totalClaimCount: 2 }],
    ['expirationTimestamp', { expirationTimestamp: 1 }],
  ])('another %s', (_, change) => {
    expect(digestOf({ ...MESSAGE, ...change })).not.toBe(digestOf(MESSAGE));
  });

  test.each<[string, Partial<Eip712Domain>]>([
    ['chain', { chainId: PRODUCTION.chainId }],
    ['contract', { verifyingContract: PRODUCTION.verifyingContract }],
  ])('another %s', (_, change) => {
    expect(digestOf(MESSAGE, { ...SANDBOX, ...change })).not.toBe(digestOf(MESSAGE));
  });
});

test('the contract can be written in upper or lower case', () => {
  const digestIn = (verifyingContract: string) =>
    createTypedDataHasher({ ...SANDBOX, verifyingContract }).badgeDigest(MESSAGE);
  expect(digestIn(`0x${'ab'.repeat(20)}`)).toStrictEqual(digestIn(`0x${'AB'.repeat(20)}`));
});

describe('the hasher rejects', () => {
  const hasher = createTypedDataHasher(SANDBOX);

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 64])('the number %d', (number) => {
    expect(() => hasher.tokenIdDigest('Claim', number)).toThrow(RangeError);
    expect(() => hasher.badgeDigest({ ...MESSAGE, totalClaimCount: number })).toThrow(RangeError);
  });

  test.each(['\ud800', 'a\udc01', '\udc00\ud800'])('a lone surrogate (%j)', (text) => {
    expect(() => hasher.badgeDigest({ ...MESSAGE, headline: text })).toThrow(TypeError);
    expect(() => hasher.badgeDigest({ ...MESSAGE, links: [text] })).toThrow(TypeError);
  });

  test.each(['', '0x', `0X${'1'.repeat(40)}`, '1'.repeat(42)])(
    'a domain with the contract %j',
    (verifyingContract) => {
      expect(() => createTypedDataHasher({ ...SANDBOX, verifyingContract })).toThrow(
        'An address must be 0x and 40 hex digits.',
      );
    },
  );
});
