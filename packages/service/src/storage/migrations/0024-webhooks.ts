import { type Kysely, sql } from 'kysely';

// Processes of the previous release do not use the tables.
export async function up(db: Kysely<unknown>): Promise<void> {
  // events: the chosen types; null: all. disabled_reason: why the service has disabled it.
  // failing_since: the first failed request after the last successful one. failures: how often the receiver was not
  // available, one time after the other. paused_until: until then, nothing is sent because of this.
  // leased_until: a worker sends its deliveries. woken_at: since then, a job waits for a worker. wake_at: when the next job
  // starts that was added for later.
  await sql`
    create table webhooks (
      webhook_id uuid primary key,
      sequence bigint generated always as identity,
      community_id text not null references communities,
      url text not null,
      name text not null,
      events text[],
      encrypted_secret bytea not null,
      encrypted_former_secret bytea,
      former_secret_expires_at timestamptz(3),
      is_enabled boolean not null default true,
      disabled_reason text,
      created_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      failing_since timestamptz(3),
      failures integer not null default 0,
      paused_until timestamptz(3),
      leased_until timestamptz,
      woken_at timestamptz,
      wake_at timestamptz
    )`.execute(db);
  await sql`
    create index webhooks_by_community on webhooks (community_id, sequence) where deleted_at is null`.execute(
    db,
  );
  await sql`create index webhooks_deleted on webhooks (webhook_id) where deleted_at is not null`.execute(db);

  // One event for one webhook. event_position: its place in the feed; null for a test.
  await sql`
    create table webhook_deliveries (
      delivery_id uuid primary key default gen_random_uuid(),
      sequence bigint generated always as identity,
      webhook_id uuid not null references webhooks,
      event_id uuid not null,
      event_position bigint,
      event_type text not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      attempts jsonb not null default '[]',
      next_attempt_at timestamptz(3) default now(),
      created_at timestamptz(3) not null default now(),
      check ((status = 'pending') = (next_attempt_at is not null))
    )`.execute(db);
  await sql`create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, sequence)`.execute(
    db,
  );
  await sql`
    create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, sequence)`.execute(
    db,
  );
  await sql`
    create index webhook_deliveries_pending on webhook_deliveries (webhook_id, next_attempt_at, sequence)
    where status = 'pending'`.execute(db);
  await sql`create index webhook_deliveries_by_time on webhook_deliveries (created_at)`.execute(db);
}
