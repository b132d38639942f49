import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { type TypedDataToSign, toSigner } from './test-key.ts';

const domain = {
  name: 'Badge',
  chainId: 80001,
  verifyingContract: '0x1000000000000000000000000000000000000001',
} as const;

// Fields of all types that the service uses.
const Badge = [
  { name: 'headline', type: 'string' },
  { name: 'links', type: 'string[]' },
  { name: 'isAllowlistRequired', type: 'bool' },
  { name: 'totalClaimCount', type: 'int256' },
  { name: 'endDateTimestamp', type: 'uint256' },
] as const;

test.each([
  { headline: '', links: [], isAllowlistRequired: true, totalClaimCount: 0, endDateTimestamp: 0 },
  {
    headline: 'شكرا 🎉',
    links: ['https://example.org/ä', ''],
    isAllowlistRequired: false,
    totalClaimCount: 100,
    endDateTimestamp: 8_640_000_000_000_000,
  },
])('the test key signs %j as viem does', async (message) => {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const bytes = Uint8Array.from(privateKey.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const signer = toSigner(bytes);
  expect(signer.address).toBe(account.address);
  const typedData: TypedDataToSign = { domain, primaryType: 'Badge', types: { Badge }, message };
  expect(await signer.signTypedData(typedData as never)).toBe(
    await account.signTypedData(typedData as never),
  );
});
