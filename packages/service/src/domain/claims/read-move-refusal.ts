import type { Context, DatabaseTransaction } from '../../context.ts';
import { isRefused } from '../../storage/holders.ts';
import { findOwners, type Move } from '../../storage/ownership.ts';
import { findMoveRefusal, type MoveRefusal } from './rules.ts';

/**
 * Returns the reason to refuse a move now, or null. If it is null, also returns since when the address holds
 * the token. `isGift`: the receiving address has not asked for the token.
 */
export async function readMoveRefusal(
  database: Context['database'] | DatabaseTransaction,
  { tokenId, address, toAddress, isGift }: Omit<Move, 'operationId'> & { isGift: boolean },
): Promise<{ refusal: MoveRefusal | null; heldSince: Date }> {
  const owners = await findOwners(database, tokenId, [address, toAddress]);
  const [from, to] = [address, toAddress].map((wanted) =>
    owners.find((owner) => owner.address.equals(wanted)),
  );
  const isRefusedGift = isGift && (await isRefused(database, { tokenId, address: toAddress }));
  return {
    refusal: findMoveRefusal(from, to, isRefusedGift),
    heldSince: from?.status_changed_at ?? new Date(0),
  };
}
