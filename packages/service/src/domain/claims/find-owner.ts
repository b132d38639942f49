import type { Context } from '../../context.ts';
import { isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { isOwner } from '../../storage/claims.ts';

/**
 * Returns the address in `text`, with its checksum, if it owns the token. Returns undefined if `text` is not
 * an address, or if this address does not own the token.
 */
export async function findOwner(
  context: Context,
  tokenId: number,
  text: string,
): Promise<string | undefined> {
  if (!isAddress(text)) return undefined;
  const address = parseAddress(text);
  return (await isOwner(context.database, tokenId, address)) ? toChecksumAddress(address) : undefined;
}
