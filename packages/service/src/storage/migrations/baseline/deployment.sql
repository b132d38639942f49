-- One row, written by the first start. Signatures in the database are valid in this signing domain only.
create table deployment (
  is_only_row boolean primary key default true check (is_only_row),
  environment text not null,
  chain_id bigint not null check (chain_id > 0),
  verifying_contract bytea not null check (octet_length(verifying_contract) = 20),
  recorded_at timestamptz(3) not null default now()
);
