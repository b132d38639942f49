import type { Context, DatabaseTransaction } from '../../context.ts';
import { findOwners, type Move } from '../../storage/ownership.ts';
import { findMoveRefusal, type MoveRefusal } from './rules.ts';

/**
 * Returns the reason to refuse a move now, or null. If it is null, also returns since when the address holds
 * the token.
 */
export async function readMoveRefusal(
  database: Context['database'] | DatabaseTransaction,
  { tokenId, address, toAddress }: Omit<Move, 'operationId'>,
): Promise<{ refusal: MoveRefusal | null; heldSince: Date }> {
  const owners = await findOwners(database, tokenId, [address, toAddress]);
  const [from, to] = [address, toAddress].map((wanted) =>
    owners.find((owner) => owner.address.equals(wanted)),
  );
  return { refusal: findMoveRefusal(from, to), heldSince: from?.status_changed_at ?? new Date(0) };
}
