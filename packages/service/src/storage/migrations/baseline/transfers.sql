-- Exports and imports of communities. A worker takes the oldest unfinished one of a community, and makes it
-- again from the start if it was interrupted. Rows and files are deleted soon.
create table transfers (
  transfer_id bigint generated always as identity primary key,
  kind text not null check (kind in ('export', 'import')),
  community_id text not null references communities,
  -- accepted: its operation is not settled yet.
  status text not null default 'accepted'
    check (status in ('accepted', 'pending', 'processing', 'success', 'error')),
  -- What was asked, and the address of the member who asked, in hex.
  parameters jsonb not null,
  -- The uploaded file of an import, or the archive of an export, encrypted in pieces.
  asset_id uuid unique references assets,
  -- How much of an export is made.
  percent smallint check (percent between 0 and 100),
  -- How many lines an import has read, and what has become of them.
  line_count bigint not null default 0,
  imported_count bigint not null default 0,
  skipped_count bigint not null default 0,
  problem_count bigint not null default 0,
  -- The first problems, and the first lines of a dry run. Neither has personal data.
  problems jsonb,
  plan jsonb,
  error text,
  -- How often the file was downloaded. Each URL is for the next download.
  download_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  leased_until timestamptz(3),
  -- How often a worker has begun. The number says which worker has the lease.
  attempt_count integer not null default 0,
  check ((status in ('success', 'error')) = (completed_at is not null)),
  check ((status = 'error') = (error is not null))
);
create index transfers_unfinished on transfers (community_id, transfer_id)
where status in ('accepted', 'pending', 'processing');
create index transfers_by_expiry on transfers (expires_at);
