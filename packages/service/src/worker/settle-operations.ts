import type { Operation } from '@badge/protocol';
import type { DatabaseTransaction } from '../context.ts';
import { settleClaims } from '../domain/claims/settle-claims.ts';
import { settleMoves } from '../domain/claims/settle-moves.ts';
import { settleRenewals } from '../domain/claims/settle-renewals.ts';
import {
  settleBurns,
  settleReinstatements,
  settleRevocations,
} from '../domain/claims/settle-status-changes.ts';
import { settleContributors } from '../domain/contributors/settle-contributors.ts';
import { settleRemovedContributors } from '../domain/contributors/settle-removed-contributors.ts';
import { settleMoveBadges } from '../domain/holders/settle-move-badges.ts';
import { settleReplacements } from '../domain/tokens/settle-replacements.ts';
import { settleTokens } from '../domain/tokens/settle-tokens.ts';
import { settleTransfers } from '../domain/transfers/settle-transfers.ts';

type OperationType = Operation['operationType'];

const SETTLE: Record<OperationType, (tx: DatabaseTransaction, operationIds: string[]) => Promise<number>> = {
  createToken: settleTokens,
  addContributors: settleContributors,
  claim: settleClaims,
  airdrop: settleClaims,
  communityAdminAirdrop: settleClaims,
  communityAdminAirdropWithoutConsentSig: settleClaims,
  burn: settleBurns,
  revoke: settleRevocations,
  reinstate: settleReinstatements,
  move: settleMoves,
  removeContributors: settleRemovedContributors,
  replace: settleReplacements,
  renew: settleRenewals,
  moveBadges: settleMoveBadges,
  export: settleTransfers,
  import: settleTransfers,
};

/**
 * Whether this release can settle a queue, or the operations of a type. A later release, whose processes run
 * beside this one during an upgrade, may have others.
 */
export function isKnown(name: string): boolean {
  return Object.hasOwn(SETTLE, name);
}

/**
 * Settles operations of one type in the transaction that has taken them. A transaction calls this only once:
 * each settle function locks its rows in one order, so workers cannot deadlock. Returns how many it has
 * settled: it leaves those whose token is just being replaced.
 */
export async function settleOperations(
  tx: DatabaseTransaction,
  operationType: OperationType,
  operationIds: string[],
): Promise<number> {
  return await SETTLE[operationType](tx, operationIds);
}
