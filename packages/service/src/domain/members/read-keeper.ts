import type { Address } from '../../signatures/address.ts';
import type { Actor } from '../../storage/audit-log.ts';
import type { DatabaseTransaction } from '../../storage/database.ts';
import { findMemberBehind } from '../../storage/rights.ts';
import { Refusal } from '../refusal.ts';

/** Throws if a member would keep its own keys: they would outlive its role. The community must be locked. */
export async function checkMayKeepKeys(
  tx: DatabaseTransaction,
  actor: Actor,
  address: Address,
): Promise<void> {
  const keeper = await findMemberBehind(tx, actor);
  if (keeper === null || !keeper.equals(address)) return;
  throw new Refusal('RoleNotAllowed', 'Only another owner, or the operator, can keep the keys of a member.');
}
