import type { SnapshotScores } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import type { Reader } from '../reader.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { readHeldIds, toKey } from './read-held-tokens.ts';

/** Returns a score for each address, in the given order: 1 if it holds the token, otherwise 0. */
export async function readSnapshotScores(
  context: Context,
  reader: Reader,
  tokenId: string,
  addresses: string[],
): Promise<SnapshotScores> {
  const { token_id: id } = await readTokenRow(context, tokenId);
  const parsed = addresses.map(parseAddress);
  const held = await readHeldIds(context, reader, parsed, [id]);
  return {
    score: parsed.map((address, index) => ({
      // Versions of Snapshot compare the address with the one that they sent.
      address: addresses[index] ?? '',
      score: held.has(toKey(address)) ? 1 : 0,
    })),
  };
}
