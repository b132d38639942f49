import type { OwnerState } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { findOwner } from '../../storage/ownership.ts';
import { parseAddressParameter } from '../address-errors.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';

/** Reads whether an address holds a token, or how it has lost the token. */
export async function readOwner(context: Context, tokenId: string, address: string): Promise<OwnerState> {
  const token = await readTokenRow(context, tokenId);
  const owner = await findOwner(context.database, token.token_id, parseAddressParameter(address));
  if (owner === undefined) throw new Refusal('OwnerNotFound', 'The address has never had this token.');
  return {
    tokenId: token.token_id,
    address: toChecksumAddress(owner.address),
    status: owner.status,
    claimedAtTimestamp: owner.claimed_at.getTime(),
    statusChangedAtTimestamp: owner.status_changed_at.getTime(),
    validUntilTimestamp: owner.valid_until?.getTime() ?? null,
  };
}
