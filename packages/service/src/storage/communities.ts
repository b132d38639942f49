import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

export type CommunityRow = Selectable<Tables['communities']>;

export async function findCommunity(db: Database, communityId: string): Promise<CommunityRow | undefined> {
  return await db
    .selectFrom('communities')
    .selectAll()
    .where('community_id', '=', communityId)
    .executeTakeFirst();
}

/** Adds a community; one that is already there stays as it is. */
export async function insertCommunity(
  db: Database,
  community: { communityId: string; displayId: string; name: string; description: string },
): Promise<void> {
  await db
    .insertInto('communities')
    .values({
      community_id: community.communityId,
      display_id: community.displayId,
      name: community.name,
      description: community.description,
      logo_url: null,
    })
    .onConflict((conflict) => conflict.column('community_id').doNothing())
    .execute();
}
