import { EIP712_TYPES, type TokenIdPrimaryType } from '@badge/protocol';
import type { HDNodeWallet, Wallet } from 'ethers';
import { SANDBOX_DOMAIN } from './signed-tokens.ts';

/** A wallet's signature over a token's id, in the sandbox's domain. */
export async function signTokenId(
  wallet: HDNodeWallet | Wallet,
  primaryType: TokenIdPrimaryType,
  tokenId: number,
): Promise<string> {
  return await wallet.signTypedData(
    SANDBOX_DOMAIN,
    { [primaryType]: [...EIP712_TYPES[primaryType]] },
    { tokenId },
  );
}
