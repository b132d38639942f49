import { EIP712_TYPES, toBadgeMessage } from '@badge/protocol';
import { newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { type TypedDataToSign, toSigner } from './test-key.ts';

const domain = {
  name: 'Badge',
  chainId: 80001,
  verifyingContract: '0x1000000000000000000000000000000000000001',
} as const;

const messages: [keyof typeof EIP712_TYPES, object][] = [
  ['AllowlistedAddress', { tokenId: 7 }],
  [
    'Badge',
    toBadgeMessage({
      headline: 'شكرا 🎉',
      communityId: 'demo',
      isSignatureRequired: false,
      isAllowlistRequired: true,
    }),
  ],
  [
    'Badge',
    toBadgeMessage({
      headline: 'Speaker',
      description: 'At the meetup',
      links: ['https://example.org/ä', ''],
      startDateTimestamp: 1_800_000_000_000,
      endDateTimestamp: 8_640_000_000_000_000,
      communityId: 'demo',
      isSignatureRequired: true,
      isAllowlistRequired: false,
      totalClaimCount: 100,
      expirationTimestamp: 1_900_000_000_000,
    }),
  ],
];

test.each(messages)('the test key signs %s as viem does', async (primaryType, message) => {
  const wallet = newWallet();
  const signer = toSigner(Buffer.from(wallet.privateKey.slice(2), 'hex'));
  expect(signer.address).toBe(wallet.address);
  const typedData = {
    domain,
    primaryType,
    types: { [primaryType]: EIP712_TYPES[primaryType] },
    message,
  } as TypedDataToSign;
  const signature = await signer.signTypedData(typedData as never);
  expect(signature).toBe(await wallet.signTypedData(typedData as never));
});
