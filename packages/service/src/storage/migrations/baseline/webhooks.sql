-- Who is told about events.

create table webhooks (
  webhook_id uuid primary key,
  sequence bigint generated always as identity,
  community_id text not null references communities,
  -- Encrypted, because it often is a secret. Empty once the webhook is deleted, and so are the secrets.
  encrypted_url bytea not null,
  -- The member with whose session, or with whose key, the webhook was created or got its last secret.
  created_by bytea check (octet_length(created_by) = 20),
  -- The member who has set the URL, to which events go.
  url_set_by bytea check (octet_length(url_set_by) = 20),
  -- The member who has made, and so knows, the secret.
  secret_made_by bytea check (octet_length(secret_made_by) = 20),
  -- Since then, one of these members is no longer an owner, and nothing is sent.
  maker_left_at timestamptz(3),
  name text not null,
  -- The chosen types. Null: all.
  events text[],
  -- Empty also after an import, until an owner makes another one.
  encrypted_secret bytea not null,
  encrypted_former_secret bytea,
  former_secret_expires_at timestamptz(3),
  is_enabled boolean not null default true,
  -- Why the service has disabled it.
  disabled_reason text,
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  -- The first failed request after the last successful one.
  failing_since timestamptz(3),
  -- How often the receiver was not available, one time after the other. Above 0, next_attempt_at is the end
  -- of a pause.
  failures integer not null default 0,
  -- When the next turn is due. Null: nothing waits.
  next_attempt_at timestamptz(3),
  -- Until then, a worker serves the turn.
  leased_until timestamptz(3)
);
create index webhooks_due on webhooks (next_attempt_at) where next_attempt_at is not null;
create index webhooks_by_community on webhooks (community_id, sequence) where deleted_at is null;
create index webhooks_deleted on webhooks (webhook_id) where deleted_at is not null;

-- One event for one webhook.
create table webhook_deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  sequence bigint generated always as identity,
  webhook_id uuid not null references webhooks,
  event_id uuid not null,
  -- Its place in the feed. Null for a test.
  event_position bigint,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz(3) default now(),
  created_at timestamptz(3) not null default now(),
  check ((status = 'pending') = (next_attempt_at is not null))
);
create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, sequence);
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, sequence);
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, next_attempt_at, sequence)
where status = 'pending';
create index webhook_deliveries_by_time on webhook_deliveries (created_at);
