import type { Context } from '../../context.ts';
import { isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { isOwner } from '../../storage/claims.ts';

/** Returns an address with its checksum if it has the token. Returns undefined if it does not, or is no address. */
export async function findOwner(
  context: Context,
  tokenId: number,
  text: string,
): Promise<string | undefined> {
  if (!isAddress(text)) return undefined;
  const address = parseAddress(text);
  return (await isOwner(context.database, tokenId, address)) ? toChecksumAddress(address) : undefined;
}
