import type { Context } from '../../context.ts';
import { deleteUnwantedNames, recordEnsNames, takeUnnamedAddresses } from '../../storage/ens-names.ts';

// Each address costs up to two calls, and all of them must end within one read of the chain.
const MAX_ADDRESSES = 20;
const MAX_DELETED = 1_000;

/**
 * Looks up the primary names that are wanted. Returns whether there may be more. Throws if no endpoint
 * responds.
 */
export async function lookUpNames({ ens, database }: Context): Promise<boolean> {
  if (ens === null) return false;
  const addresses = await takeUnnamedAddresses(database, MAX_ADDRESSES);
  if (addresses.length === 0) return false;
  const names = await ens.findPrimaryNames(addresses);
  await recordEnsNames(
    database,
    addresses.map((address, index) => ({ address, name: names[index] ?? null })),
  );
  return addresses.length === MAX_ADDRESSES;
}

/** Deletes names that nobody wants any more. Returns whether there may be more. */
export async function cleanUpUnwantedNames({ database }: Context): Promise<boolean> {
  return (await deleteUnwantedNames(database, MAX_DELETED)) === MAX_DELETED;
}
