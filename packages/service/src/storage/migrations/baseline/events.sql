-- What has happened in communities, in order.

-- The events that have no place in the feed yet. A worker moves them to `events`.
create table event_outbox (
  sequence bigint generated always as identity primary key,
  event_id uuid not null default gen_random_uuid(),
  community_id text not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp()
);

-- The feed. Positions have no gaps. Whoever sees a position also sees all lower ones, because the row of
-- event_counter is locked until the commit. data: addresses in hex without 0x.
create table events (
  position bigint primary key,
  event_id uuid not null,
  community_id text not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null
);
create index events_by_community on events (community_id, position);

-- One row. Events up to last_deleted_position have been deleted.
create table event_counter (
  is_only_row boolean primary key default true check (is_only_row),
  last_position bigint not null default 0,
  last_deleted_position bigint not null default 0
);
insert into event_counter default values;

-- As markOf() in storage/events.ts.
create function event_mark(event_id uuid, community_id text) returns text immutable parallel safe language sql
return left(encode(sha256(convert_to(event_id::text || ' ' || community_id, 'UTF8')), 'hex'), 8);
