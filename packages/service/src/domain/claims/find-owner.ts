import type { Context } from '../../context.ts';
import { isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { findOwner as findOwnerRow } from '../../storage/ownership.ts';

/**
 * Returns the address in `text`, with its checksum, if it holds the token. Returns undefined if `text` is not
 * an address, or if this address does not hold the token, or its token has ended.
 */
export async function findOwner(
  context: Context,
  tokenId: number,
  text: string,
): Promise<string | undefined> {
  if (!isAddress(text)) return undefined;
  const address = parseAddress(text);
  const owner = await findOwnerRow(context.database, tokenId, address);
  return owner?.status === 'held' ? toChecksumAddress(address) : undefined;
}
