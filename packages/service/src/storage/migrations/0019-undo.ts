import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Why a badge was revoked, reinstated or moved.
  await sql`alter table audit_log add column if not exists reason text`.execute(db);

  // The links of identifiers, which are revoked if their identifier is removed from the allowlist.
  await sql`
    create index claim_links_by_contributor on claim_links (token_id, contributor_key)
    where identifier is not null`.execute(db);
  // The latest removal from a token's allowlist. An earlier addition does not repeat one after it.
  await sql`
    create index operations_removals on operations (resource_id, completed_at)
    where operation_type = 'removeContributors' and status = 'success'`.execute(db);

  // A worker of the previous release does not know these operations, isolates them and then ends them in error. This
  // release deletes their request whenever they end, so a request that is kept shows such a worker. The operation then
  // stays isolated, and a worker of this release settles it.
  await sql`
    create function keep_operation() returns trigger language plpgsql as $$
    begin
      return null;
    end $$`.execute(db);
  await sql`
    create trigger operations_keep_unknown before update on operations for each row
    when (
      new.status = 'error' and new.request is not null
      and new.operation_type in ('revoke', 'reinstate', 'move', 'removeContributors')
    )
    execute function keep_operation()`.execute(db);
}
