import { TypedDataEncoder } from 'ethers';
import { describe, expect, test } from 'vitest';
import vectors from '../../../tests/vectors/typed-data.json' with { type: 'json' };
import { type BadgeRequest, EIP712_TYPES, toBadgeMessage } from './typed-data.ts';

const REQUIRED = {
  headline: 'A',
  communityId: 'demo',
  isSignatureRequired: true,
  isAllowlistRequired: false,
};
const DEFAULTS = {
  description: '',
  startDateTimestamp: 0,
  endDateTimestamp: 0,
  links: [],
  totalClaimCount: 0,
  expirationTimestamp: 0,
};
const NULLS = {
  description: null,
  startDateTimestamp: null,
  endDateTimestamp: null,
  links: null,
  totalClaimCount: null,
  expirationTimestamp: null,
};

test('the type Badge has the specified fields in the specified order', () => {
  expect(TypedDataEncoder.from({ Badge: [...EIP712_TYPES.Badge] }).encodeType('Badge')).toBe(
    'Badge(string headline,string description,uint256 startDateTimestamp,uint256 endDateTimestamp,' +
      'string[] links,string communityUniqId,bool isSignatureRequired,bool isAllowlistRequired,' +
      'int256 totalClaimCount,uint256 expirationTimestamp)',
  );
  expect(EIP712_TYPES.Badge).toEqual(vectors.types.Badge);
});

test.each([
  'Claim',
  'Burn',
  'AllowlistedAddress',
  'CommunityAdminAirdrop',
  'CommunityAdminAirdropReceiverConsent',
] as const)('the only field of the type %s is the token id', (primaryType) => {
  expect(EIP712_TYPES[primaryType]).toEqual([{ name: 'tokenId', type: 'uint256' }]);
});

test('the type ReceiveBadges has the specified fields in the specified order', () => {
  const encoder = TypedDataEncoder.from({ ReceiveBadges: [...EIP712_TYPES.ReceiveBadges] });
  expect(encoder.encodeType('ReceiveBadges')).toBe('ReceiveBadges(string emailHash,uint256 nonce)');
  expect(EIP712_TYPES.ReceiveBadges).toEqual(vectors.types.ReceiveBadges);
});

describe('toBadgeMessage', () => {
  const expected = {
    ...DEFAULTS,
    headline: 'A',
    communityUniqId: 'demo',
    isSignatureRequired: true,
    isAllowlistRequired: false,
  };

  test.each<[string, BadgeRequest]>([
    ['absent', REQUIRED],
    ['null', { ...REQUIRED, ...NULLS }],
    ['empty or 0', { ...REQUIRED, ...DEFAULTS }],
  ])('signs an optional field that is %s as its default', (_, request) => {
    expect(toBadgeMessage(request)).toStrictEqual(expected);
  });

  test('copies every signed field of the body and no other field', () => {
    const optional = {
      description: ' d ',
      startDateTimestamp: 1,
      endDateTimestamp: 2,
      links: ['x', ''],
      totalClaimCount: 3,
      expirationTimestamp: 4,
    };
    const unsigned = {
      creator: '0x',
      nftTypeId: 'n',
      contributors: [],
      customAttributes: [],
      signature: '0x',
    };
    expect(toBadgeMessage({ ...REQUIRED, ...optional, ...unsigned })).toStrictEqual({
      ...expected,
      ...optional,
    });
  });

  test.each(vectors.vectors)(
    'returns a message with the digest of the vector "$name" ($environment)',
    (vector) => {
      const domain = vector.environment === 'sandbox' ? vectors.domains.sandbox : vectors.domains.production;
      const types = { Badge: [...EIP712_TYPES.Badge] };
      expect(TypedDataEncoder.hash(domain, types, toBadgeMessage(vector.request))).toBe(vector.digest);
    },
  );
});
