-- The primary names of addresses, and which addresses are to be looked up.
create table ens_names (
  address bytea primary key check (octet_length(address) = 20),
  -- Null: the address has none, or was not looked up yet.
  name text,
  looked_up_at timestamptz(3),
  wanted_at timestamptz(3) not null default now(),
  -- A worker is looking it up.
  leased_until timestamptz(3)
);
create index ens_names_by_look_up on ens_names (looked_up_at nulls first);
