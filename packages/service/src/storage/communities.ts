import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { revokeKeysAbove } from './api-keys.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import { columnsOf } from './columns.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { mayStillWrite } from './rights.ts';
import type { Tables } from './schema.ts';
import { stopWebhooksOf } from './webhooks.ts';

export type CommunityRow = Omit<Selectable<Tables['communities']>, 'claim_link_count'>;

const COLUMNS = columnsOf<CommunityRow>(
  {
    community_id: true,
    display_id: true,
    name: true,
    description: true,
    logo_url: true,
    admin_addresses: true,
    created_at: true,
    managed_creator: true,
    contract_wallet_chain_id: true,
    remind_unclaimed_after: true,
    remind_before_expiry: true,
  },
  'c',
);

/** Finds communities by their ids, in the order of the ids. Undefined if there is no such community. */
export async function findCommunities(
  db: Database,
  communityIds: string[],
): Promise<(CommunityRow | undefined)[]> {
  const { rows } = await prepared<CommunityRow>`
    select ${COLUMNS} from unnest((select ${[...new Set(communityIds)]}::text[])) as wanted (community_id)
    cross join lateral (
      select * from communities c where c.community_id = wanted.community_id limit 1
    ) c`.execute(db);
  const byId = new Map(rows.map((row) => [row.community_id, row]));
  return communityIds.map((id) => byId.get(id));
}

/** Adds a community. Returns undefined, and changes nothing, if the id is taken. */
export async function insertCommunity(
  db: Database,
  actor: Actor,
  community: Insertable<Tables['communities']>,
): Promise<CommunityRow | undefined> {
  return await db
    .with('written', (query) =>
      query
        .insertInto('communities')
        .values(community)
        .onConflict((conflict) => conflict.column('community_id').doNothing())
        .returningAll(),
    )
    .with('recorded', () => insertAuditEntries(actor, 'createCommunity'))
    .selectFrom('written')
    .selectAll()
    .executeTakeFirst();
}

/** The ids of the communities that `listCommunities` returns for the same page. */
export async function listCommunityIds(
  db: Database,
  page: { limit: number; offset: number },
): Promise<string[]> {
  const rows = await pageOfCommunities(db, page).select('community_id').execute();
  return rows.map((row) => row.community_id);
}

function pageOfCommunities(db: Database, page: { limit: number; offset: number }) {
  return db
    .selectFrom('communities')
    .orderBy('created_at')
    .orderBy('community_id')
    .limit(page.limit)
    .offset(page.offset);
}

/** A page of all communities, oldest first. */
export async function listCommunities(
  db: Database,
  page: { limit: number; offset: number },
): Promise<CommunityRow[]> {
  return await pageOfCommunities(db, page).selectAll().execute();
}

/**
 * Locks the community's row, so that transactions that add NFT types, or change members or keys, wait for
 * each other. Inserting tokens does not wait.
 */
export async function lockCommunity(tx: DatabaseTransaction, communityId: string): Promise<void> {
  await tx
    .selectFrom('communities')
    .select('community_id')
    .where('community_id', '=', communityId)
    .forNoKeyUpdate()
    .execute();
}

// SQL: makes processes drop the credentials that they keep, because all of a community contain its name and
// its logo. The snapshot of the statement has the former values.
const RECORD_CHANGE = sql<object>`(
  insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
  select 0, ${sql.lit(Number.MAX_SAFE_INTEGER)}, false, true
  from written w join communities former using (community_id)
  where (w.name, w.logo_url) is distinct from (former.name, former.logo_url)
)`;

// SQL: the owners whom an update of the community has removed.
const FORMER_OWNERS = sql`(
  select m.* from members m join written w using (community_id)
  where m.role = 'owner' and not m.address = any(w.admin_addresses)
)`;

/**
 * Changes the given columns of a community. Revokes the keys, and stops the webhooks, that were created by
 * owners whom this removes. Returns undefined if there is no such community, or if the actor has lost its
 * right. The caller must have locked the community.
 */
export async function updateCommunity(
  tx: DatabaseTransaction,
  actor: Actor,
  communityId: string,
  changes: Omit<Updateable<Tables['communities']>, 'community_id'>,
): Promise<CommunityRow | undefined> {
  return await tx
    .with('written', (query) =>
      query
        .updateTable('communities')
        // An update needs at least one column, and `changes` can be empty.
        .set({ ...changes, community_id: communityId })
        .where('community_id', '=', communityId)
        .where(mayStillWrite(actor, sql.ref('community_id')))
        .returningAll(),
    )
    .with('recorded', () => insertAuditEntries(actor, 'updateCommunity'))
    .with('change_recorded', () => RECORD_CHANGE)
    .with('revoked', () => revokeKeysAbove(null, FORMER_OWNERS))
    .with('revoked_recorded', () => insertAuditEntries(actor, 'revokeApiKey', 'revoked'))
    .with('stopped', () => stopWebhooksOf(FORMER_OWNERS))
    .with('stopped_recorded', () => insertAuditEntries(actor, 'disableWebhook', 'stopped'))
    .selectFrom('written')
    .selectAll()
    .executeTakeFirst();
}
