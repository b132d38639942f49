import type { DatabaseTransaction } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { revokeLongerCredentials } from '../../storage/credentials.ts';
import { addExpiry, announceExpired } from '../../storage/expiry.ts';
import { findOwners, lockClaims, renewClaims } from '../../storage/ownership.ts';
import { finishOperations, type Outcome, readRequests } from '../../storage/queue.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';
import { hasToken } from './rules.ts';

const NOT_OWNED = {
  name: 'TokenNotOwned',
  detail: "Some of the addresses no longer have the token, so nobody's was renewed.",
};

/**
 * Settles renewals one by one, in the order of acceptance, and returns how many. A renewal is for all of its
 * addresses or for none. All locks are taken before the first one.
 */
export async function settleRenewals(tx: DatabaseTransaction, operationIds: string[]): Promise<number> {
  const requests = await lockTokensOfRequests(
    tx,
    await readRequests<{ tokenId: number; addresses: string[]; validUntilTimestamp: number }>(
      tx,
      operationIds,
    ),
  );
  const renewals = requests.map(({ operationId, tokenId, addresses, validUntilTimestamp }) => ({
    operationId,
    tokenId,
    addresses: addresses.map((address) => parseAddress(`0x${address}`)),
    validUntil: new Date(validUntilTimestamp),
  }));
  await lockClaims(
    tx,
    renewals.flatMap(({ tokenId, addresses }) => addresses.map((address) => ({ tokenId, address }))),
  );
  const outcomes: Outcome[] = [];
  for (const renewal of renewals) {
    const { operationId, tokenId, addresses, validUntil } = renewal;
    const owners = await findOwners(tx, tokenId, addresses);
    if (owners.length < addresses.length || !owners.every(hasToken)) {
      outcomes.push({ operationId, error: NOT_OWNED });
      continue;
    }
    await announceExpired(tx, tokenId, addresses);
    await renewClaims(tx, renewal);
    await revokeLongerCredentials(tx, tokenId, addresses);
    await addExpiry(tx, tokenId, validUntil);
    outcomes.push({ operationId, resourceId: tokenId });
  }
  return await finishOperations(tx, outcomes);
}
