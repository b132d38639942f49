-- Who has written what. No foreign keys, so that an entry stays if its resource is deleted. Entries hold no
-- personal data but the address of a member's session.
create table audit_log (
  audit_entry_id bigint generated always as identity,
  recorded_at timestamptz(3) not null default now(),
  actor text not null,
  api_key_id uuid,
  -- Of the session that a write was sent with.
  address bytea,
  action text not null,
  community_id text not null,
  resource_type text not null,
  resource_id text not null,
  -- What the community gave as the reason for a write.
  reason text,
  primary key (recorded_at, audit_entry_id),
  check ((actor = 'apiKey') = (api_key_id is not null))
);
create index audit_log_by_community on audit_log (community_id, recorded_at, audit_entry_id);
create index audit_log_by_api_key on audit_log (api_key_id, recorded_at, audit_entry_id) where api_key_id is not null;
create index audit_log_by_action on audit_log (action, recorded_at, audit_entry_id);

-- A guard: entries are only added.
create function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to: % is refused', lower(tg_op);
end $$;
create trigger audit_log_is_only_added_to before update or delete or truncate on audit_log
for each statement execute function refuse_audit_log_change();
