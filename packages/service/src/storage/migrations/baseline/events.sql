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

-- The feed. Positions have no gaps. Whoever sees a position also sees all lower ones, because the row of event_counter is
-- locked until the commit. data: addresses in hex without 0x.
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

-- An operation is in both transition tables. They are grouped and not joined, because the planner can choose a nested loop for
-- a join, and then a batch would take the square of its size.
create function record_operation_events() returns trigger language plpgsql as $$
begin
  insert into event_outbox (community_id, type, data)
  select community_id,
    case
      when status = 'error' then 'operation.failed'
      when operation_type = 'createToken' then 'token.created'
      when operation_type = 'addContributors' then 'contributors.added'
      when operation_type = 'removeContributors' then 'contributors.removed'
      when operation_type = 'burn' then 'badge.burnt'
      when operation_type = 'revoke' then 'badge.revoked'
      when operation_type = 'reinstate' then 'badge.reinstated'
      when operation_type = 'move' then 'badge.moved'
      else 'badge.claimed'
    end,
    case
      when status = 'error' then jsonb_build_object(
        'operationId', operation_id, 'operationType', operation_type, 'tokenId', token_id, 'error', error_name
      )
      when operation_type in ('createToken', 'addContributors', 'removeContributors') then jsonb_build_object(
        'operationId', operation_id, 'tokenId', resource_id
      )
      when operation_type in ('burn', 'revoke', 'reinstate') then jsonb_build_object(
        'operationId', operation_id, 'tokenId', resource_id, 'address', address
      )
      when operation_type = 'move' then jsonb_build_object(
        'operationId', operation_id, 'tokenId', resource_id, 'address', address, 'toAddress', to_address
      )
      else jsonb_build_object(
        'operationId', operation_id, 'tokenId', resource_id, 'address', address, 'claimLinkId', claim_link_id
      )
    end
  from (
    select operation_id, min(sequence) as sequence, min(community_id) as community_id,
      min(operation_type) as operation_type, min(status) filter (where is_new) as status,
      min(status) filter (where not is_new) as former_status, min(resource_id) as resource_id,
      min(error_name) as error_name, min(token_id) as token_id, min(address) as address,
      min(to_address) as to_address, min(claim_link_id) as claim_link_id
    from (
      select true as is_new, operation_id, sequence, community_id, operation_type, status, resource_id,
        error->>'name' as error_name, null::bigint as token_id, null as address, null as to_address,
        null as claim_link_id
      from finished
      union all
      select false, operation_id, sequence, community_id, operation_type, status, null, null,
        case when operation_type <> 'createToken' then (request->>'tokenId')::bigint end,
        case when has_address then request->>'address' end,
        case when has_address then request->>'toAddress' end,
        case when has_address then request->>'claimLinkId' end
      from former cross join lateral (
        select operation_type not in ('createToken', 'addContributors', 'removeContributors') as has_address
      ) kind
    ) version
    group by operation_id
  ) operation
  where status in ('success', 'error') and former_status in ('pending', 'processing')
  order by sequence;
  return null;
end $$;
create trigger operations_record_events after update on operations
referencing old table as former new table as finished
for each statement execute function record_operation_events();

create function record_token_event() returns trigger language plpgsql as $$
begin
  insert into event_outbox (community_id, type, data)
  values (new.community_id, 'token.updated', jsonb_build_object('tokenId', new.token_id, 'isHidden', new.is_hidden));
  return null;
end $$;
create trigger tokens_record_event after update of is_hidden, criteria on tokens
for each row when (old.is_hidden is distinct from new.is_hidden or old.criteria is distinct from new.criteria)
execute function record_token_event();

-- As markOf() in storage/events.ts.
create function event_mark(event_id uuid, community_id text) returns text immutable parallel safe language sql
return left(encode(sha256(convert_to(event_id::text || ' ' || community_id, 'UTF8')), 'hex'), 8);
