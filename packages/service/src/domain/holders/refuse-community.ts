import type { RefusedCommunity } from '@badge/protocol';
import type { Context } from '../../context.ts';
import {
  acceptCommunity as acceptStoredCommunity,
  findAddressOf,
  listRefusedCommunities as listRefusedRows,
  refuseCommunity as refuseStoredCommunity,
} from '../../storage/holders.ts';
import type { SessionHolder } from '../../storage/sessions.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { prepareKeptAddress } from '../kept-addresses.ts';
import type { Reader } from '../reader.ts';
import { Refusal } from '../refusal.ts';

// A name has up to 200 characters, of up to 6 bytes in JSON.
const REFUSED_BYTES = 2 * 1024;

/** From now on, nobody can give badges of the community to the one who has signed in. */
export async function refuseCommunity(
  context: Context,
  session: SessionHolder,
  communityId: string,
): Promise<void> {
  await readCommunityRow(context, communityId);
  const { database } = context;
  const address =
    'emailHash' in session
      ? await prepareKeptAddress(context, database, { communityId, emailHash: session.emailHash })
      : await findAddressOf(database, session, communityId);
  if (address === undefined) {
    throw new Refusal(
      'RoleNotAllowed',
      'The session of a contract wallet counts only in communities whose contract wallets are on its chain.',
    );
  }
  await refuseStoredCommunity(context.database, { communityId, address });
}

/** Undoes a refusal. */
export async function acceptCommunity(
  context: Context,
  session: SessionHolder,
  communityId: string,
): Promise<void> {
  await readCommunityRow(context, communityId);
  const address = await findAddressOf(context.database, session, communityId);
  if (address !== undefined) await acceptStoredCommunity(context.database, { communityId, address });
}

/** Lists the communities that the one who has signed in refuses. */
export async function listRefusedCommunities(
  context: Context,
  reader: Reader,
  session: SessionHolder,
  page: { limit: number; offset: number },
): Promise<RefusedCommunity[]> {
  return await reader.read(page.limit * REFUSED_BYTES, () =>
    listRefusedRows(context.database, session, page),
  );
}
