import { createSecretKey, randomBytes } from 'node:crypto';
import { EIP712_DOMAIN_NAME } from '@badge/protocol';
import { expect, test } from 'vitest';
import { createManagedCreators } from '../signatures/managed-creators.ts';
import { createTypedDataHasher } from '../signatures/typed-data-hash.ts';
import { createVerifier } from './verify-signatures.ts';

const deployment = {
  environment: 'sandbox' as const,
  chainId: 5,
  verifyingContract: `0x${'1'.repeat(40)}`,
};
const wallet = createManagedCreators(createSecretKey(randomBytes(32)));
const hasher = createTypedDataHasher({ name: EIP712_DOMAIN_NAME, ...deployment });

test('the consent in the request of an operation is verified', () => {
  const message = { emailHash: 'ab'.repeat(32), nonce: 3 };
  const request = {
    ...message,
    toAddress: wallet.addressOf('a').toString('hex'),
    signature: wallet.sign('a', hasher.receiveBadgesDigest(message)).slice(2),
    evidence: null,
  };
  const verify = createVerifier('operations', deployment);
  const verifyRequest = (changes: object) =>
    verify?.({ operationType: 'moveBadges', request: { ...request, ...changes } });
  expect(verifyRequest({})).toBeNull();
  expect(verify?.({ operationType: 'claim', request: null })).toBeNull();
  for (const change of [{ nonce: 4 }, { emailHash: 'cd'.repeat(32) }, { toAddress: '1'.repeat(40) }])
    expect(verifyRequest(change)).toMatch(/^the signature is not that of 0x/);
});

test('a type that signatures do not have is unknown', () => {
  const verify = createVerifier('signatures', deployment);
  for (const primaryType of ['Badge', 'ReceiveBadges', 'Other', 'toString']) {
    const line = { primaryType, tokenId: 1, typedDataVersion: 'badge/1', evidence: null };
    expect(verify?.(line)).toBe('the signature is of an unknown type');
  }
});
