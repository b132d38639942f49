import type { CheckOwnersBody, HeldTokens } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { findHeldTokens } from '../../storage/claims.ts';
import type { Reader } from '../reader.ts';
import { Refusal } from '../refusal.ts';

// More than an address and the names of the fields need in JSON.
const ITEM_BYTES = 128;

/**
 * Reads which of the tokens each of the addresses holds. Returns an item for each address, in the given
 * order. Throws if there is no token with one of the ids.
 */
export async function readHeldTokens(
  context: Context,
  reader: Reader,
  { addresses, tokenIds }: CheckOwnersBody,
): Promise<HeldTokens[]> {
  await checkTokensExist(context, tokenIds);
  const parsed = addresses.map(parseAddress);
  const held = await readHeldIds(context, reader, parsed, tokenIds);
  return parsed.map((address) => ({
    address: toChecksumAddress(address),
    tokenIds: held.get(toKey(address)) ?? [],
  }));
}

/** Returns the held ones of the tokens by `toKey` of the address. */
export async function readHeldIds(
  { database }: Context,
  reader: Reader,
  addresses: Address[],
  tokenIds: number[],
): Promise<Map<string, number[]>> {
  const byKey = new Map(addresses.map((address) => [toKey(address), address]));
  const ids = [...new Set(tokenIds)];
  const maxBytes = addresses.length * (ITEM_BYTES + String(ids).length);
  const rows = await reader.read(maxBytes, () => findHeldTokens(database, [...byKey.values()], ids));
  return new Map(rows.map((row) => [toKey(row.address), row.token_ids]));
}

/** Returns an address as the key of a map. */
export function toKey(address: Address): string {
  return address.toString('latin1');
}

async function checkTokensExist({ lookUps }: Context, tokenIds: number[]): Promise<void> {
  const tokens = await Promise.all(tokenIds.map((id) => lookUps.findToken(id)));
  const unknown = tokenIds.filter((_, index) => tokens[index] === undefined);
  if (unknown.length > 0) {
    throw new Refusal('TokenNotFound', `There is no token with the id ${[...new Set(unknown)].join(', ')}.`);
  }
}
