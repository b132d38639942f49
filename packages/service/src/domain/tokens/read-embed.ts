import type { OwnerState, Token } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { findOwner } from '../../storage/ownership.ts';
import { readCommunity } from '../communities/read-community.ts';
import type { Reader } from '../reader.ts';
import { readCurrentToken } from './read-token.ts';

/** What an embed of a token shows. If another token has replaced it, this one. */
export interface Embed {
  token: Token;
  /** The name of the token's community. */
  community: string;
  /** Null if the embed names no address. */
  owner: EmbeddedOwner | null;
  /** Whether the token has replaced the one of the embed's URL. */
  isReplacement: boolean;
}

/** An address, and what has become of its token. `none`: it has never had the token. */
export type EmbeddedOwner =
  | { address: string; status: 'none' }
  | {
      address: string;
      status: OwnerState['status'];
      claimedAtTimestamp: number;
      statusChangedAtTimestamp: number;
      validUntilTimestamp: number | null;
    };

/**
 * Reads what an embed shows. `owner` is the parameter of its URL. A text that is no address counts as none.
 */
export async function readEmbed(
  context: Context,
  reader: Reader,
  { tokenId, owner }: { tokenId: string; owner: string },
): Promise<Embed> {
  const token = await readCurrentToken(context, reader, tokenId);
  const [{ name: community }, state] = await Promise.all([
    readCommunity(context, token.communityId),
    readOwnerState(context, token.tokenId, owner),
  ]);
  return { token, community, owner: state, isReplacement: String(token.tokenId) !== tokenId };
}

async function readOwnerState(
  { database }: Context,
  tokenId: number,
  text: string,
): Promise<EmbeddedOwner | null> {
  if (!isAddress(text)) return null;
  const parsed = parseAddress(text);
  const address = toChecksumAddress(parsed);
  const row = await findOwner(database, tokenId, parsed);
  if (row === undefined) return { address, status: 'none' };
  return {
    address,
    status: row.status,
    claimedAtTimestamp: row.claimed_at.getTime(),
    statusChangedAtTimestamp: row.status_changed_at.getTime(),
    validUntilTimestamp: row.valid_until?.getTime() ?? null,
  };
}
