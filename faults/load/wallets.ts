import { createHash } from 'node:crypto';
import { EIP712_DOMAIN_NAME, type TokenIdPrimaryType } from '@badge/protocol';
import { toChecksumAddress } from '../../packages/service/src/signatures/address.ts';
import { addressOfPrivateKey, signDigest } from '../../packages/service/src/signatures/recover-signer.ts';
import { createTypedDataHasher } from '../../packages/service/src/signatures/typed-data-hash.ts';

export const typedData = createTypedDataHasher({
  name: EIP712_DOMAIN_NAME,
  chainId: 80001,
  verifyingContract: '0x1000000000000000000000000000000000000001',
});

export interface Wallet {
  address: string;
  sign(digest: Uint8Array): string;
  signTokenId(primaryType: TokenIdPrimaryType, tokenId: number): string;
}

/** Creates wallets. The same seed gives the same wallets. */
export function createWallets(seed: number, count: number): Wallet[] {
  return Array.from({ length: count }, (_, index) => {
    const privateKey = createHash('sha256').update(`faults ${seed} ${index}`).digest();
    const sign = (digest: Uint8Array) => signDigest(digest, privateKey);
    return {
      address: toChecksumAddress(addressOfPrivateKey(privateKey)),
      sign,
      signTokenId: (primaryType, tokenId) => sign(typedData.tokenIdDigest(primaryType, tokenId)),
    };
  });
}
