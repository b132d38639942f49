import type { RenewBody, RequestError } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findOwners } from '../../storage/ownership.ts';
import { isInFuture } from '../../storage/validity.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { findChecksumErrors } from '../address-errors.ts';
import type { Caller } from '../caller.ts';
import { invalidRequest, MAX_ERRORS, Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import { hasToken, identifyRequestAboutToken } from './rules.ts';

/** Returns the errors of a renewal's body that its schema cannot express. */
export function findRenewalErrors(body: unknown): RequestError[] {
  const { addresses } = (body ?? {}) as { addresses?: unknown };
  if (!Array.isArray(addresses)) return [];
  return addresses.flatMap((address, index) => findChecksumErrors(`/addresses/${index}`, address));
}

/** Accepts a renewal of the token for addresses that have it, valid or not. */
export async function requestRenewal(
  context: Context,
  caller: Caller,
  { tokenId, body, key }: { tokenId: string; body: RenewBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const { validUntilTimestamp } = body;
  const sent = body.addresses.map(parseAddress);
  return await withWritableToken(context, caller, tokenId, async ({ token_id, community_id }) => {
    if (!(await isInFuture(context.database, new Date(validUntilTimestamp)))) {
      throw invalidRequest([{ pointer: '/validUntilTimestamp', detail: 'must be in the future' }]);
    }
    const owners = new Map(
      (await findOwners(context.database, token_id, sent)).map((owner) => [
        owner.address.toString('hex'),
        owner,
      ]),
    );
    const errors = sent.flatMap((address, index): RequestError[] => {
      const owner = owners.get(address.toString('hex'));
      return owner !== undefined && hasToken(owner)
        ? []
        : [{ pointer: `/addresses/${index}`, detail: 'does not have the token' }];
    });
    if (errors.length > 0) {
      const detail = `${errors.length} of the addresses do not have the token, so nobody's was renewed.`;
      throw new Refusal('TokenNotOwned', detail, {
        errors: errors.slice(0, MAX_ERRORS),
      });
    }
    const renewed = [...owners.values()];
    return await acceptOperation(context, {
      operationType: 'renew',
      communityId: community_id,
      caller,
      key,
      requestIdentity: identifyRequestAboutToken('renew', token_id, [
        Buffer.from(String(validUntilTimestamp)),
        ...renewed.map(({ address }) => address),
      ]),
      request: { tokenId: token_id, addresses: renewed.map(({ address }) => address), validUntilTimestamp },
    });
  });
}
