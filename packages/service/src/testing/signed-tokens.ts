import { EIP712_TYPES, toBadgeMessage } from '@badge/protocol';
import { type HDNodeWallet, Wallet } from 'ethers';

export const SANDBOX_DOMAIN = {
  name: 'Badge',
  chainId: 80001,
  verifyingContract: '0x1000000000000000000000000000000000000001',
};

let made = 0;

/** A signed create-token body for the sandbox's `demo`, unlike any other, with the given fields changed. */
export async function signedToken(
  fields: Record<string, unknown> = {},
  domain = SANDBOX_DOMAIN,
  wallet: HDNodeWallet | Wallet = Wallet.createRandom(),
) {
  made += 1;
  const token = {
    creator: wallet.address,
    headline: `Token ${made} of ${process.pid}`,
    communityId: 'demo',
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: false,
    totalClaimCount: 10,
    ...fields,
  };
  const types = { Badge: [...EIP712_TYPES.Badge] };
  const message = toBadgeMessage(token as Parameters<typeof toBadgeMessage>[0]);
  return { ...token, signature: await wallet.signTypedData(domain, types, message) };
}
