import type { EnsName } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { findEnsNames } from '../../storage/ens-names.ts';

/**
 * Reads the primary names of addresses, as far as they are known. A worker looks up the others later
 * (`look-up-names.ts`), because no read waits for an endpoint.
 */
export async function readEnsNames(context: Context, addresses: string[]): Promise<EnsName[]> {
  const parsed = addresses.map(parseAddress);
  const unique = [...new Map(parsed.map((address) => [address.toString('hex'), address])).values()];
  const named = context.ens === null ? [] : await findEnsNames(context.database, unique);
  const names = new Map(named.map(({ address, name }) => [address.toString('hex'), name]));
  return parsed.map((address) => ({
    address: toChecksumAddress(address),
    name: names.get(address.toString('hex')) ?? null,
  }));
}
