-- The responses that a repeated request gets, and the requests that count towards limits.

-- If status is null, the request is running, or has ended without releasing the key. After locked_until the
-- key can be used again.
create table idempotency_keys (
  scope bytea primary key check (octet_length(scope) = 32),
  body_hash bytea not null check (octet_length(body_hash) = 32),
  request_id uuid not null,
  status integer,
  headers jsonb,
  body text,
  created_at timestamptz not null default now(),
  locked_until timestamptz not null,
  check (num_nulls(status, headers, body) in (0, 3))
);
create index idempotency_keys_by_time on idempotency_keys (created_at);

-- Unlogged, because rows live for seconds and may be lost in a crash. `name` is the start of a hash of the
-- policy and of the address or key whose requests are counted.
create unlogged table request_counts (
  window_number bigint not null,
  name text not null check (length(name) = 22),
  process_id uuid not null,
  requests integer not null check (requests > 0),
  primary key (window_number, name, process_id)
);
