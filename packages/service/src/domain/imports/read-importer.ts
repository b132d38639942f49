import { ArrivalError } from '../../arrivals/arrival.ts';
import type { Context } from '../../context.ts';
import type { Address } from '../../signatures/address.ts';
import { findImporter } from '../../storage/imports.ts';

/**
 * Reads who is the creator of imported tokens if no member imports them: the managed creator of the
 * community, otherwise its first owner.
 */
export async function readImporter(
  { database }: Pick<Context, 'database'>,
  communityId: string,
): Promise<Address> {
  const importer = await findImporter(database, communityId);
  if (importer === null)
    throw new ArrivalError(
      'nobody can be the creator of the badges: add a member with the role owner, or sign in with a wallet',
    );
  return importer;
}
