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
    throw new ArrivalError('the community has no owner, who would be the creator of its tokens');
  return importer;
}
