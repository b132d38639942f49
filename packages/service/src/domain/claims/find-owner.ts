import type { Context } from '../../context.ts';
import { isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';

/** Returns an address with its checksum if it has the token. Returns undefined if it does not, or is no address. */
export async function findOwner(
  context: Context,
  tokenId: number,
  text: string,
): Promise<string | undefined> {
  if (!isAddress(text)) return undefined;
  const address = parseAddress(text);
  const state = await context.findClaimState({ tokenId, address, identifierKey: null, claimLinkId: null });
  return state?.hasClaimed === true ? toChecksumAddress(address) : undefined;
}
