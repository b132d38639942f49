create table allowlist_entries (
  token_id bigint not null,
  contributor_key bytea not null,
  identifier text,
  ens_name text,
  position integer not null,
  added_at timestamp(3) with time zone not null,
  constraint allowlist_entries_pkey PRIMARY KEY (contributor_key, token_id),
  constraint allowlist_entries_check CHECK (((identifier IS NULL) = (octet_length(contributor_key) = 20))),
  constraint allowlist_entries_contributor_key_check CHECK ((octet_length(contributor_key) = ANY (ARRAY[20, 32])))
);
CREATE INDEX allowlist_entries_by_ens_name ON allowlist_entries USING btree (token_id, ens_name) WHERE (ens_name IS NOT NULL);
CREATE INDEX allowlist_entries_by_position ON allowlist_entries USING btree (token_id, "position");
CREATE TRIGGER allowlist_entries_check_tokens AFTER INSERT ON allowlist_entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION check_tokens_of_allowlist_entries();
CREATE TRIGGER allowlist_entries_count_deleted AFTER DELETE ON allowlist_entries REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_allowlist_entries();
CREATE TRIGGER allowlist_entries_count_new AFTER INSERT ON allowlist_entries REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_allowlist_entries();

create table api_keys (
  api_key_id uuid not null,
  community_id text not null,
  key_hash bytea not null,
  prefix text not null,
  name text not null,
  role text not null default 'editor'::text,
  created_by bytea,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint api_keys_pkey PRIMARY KEY (api_key_id),
  constraint api_keys_created_by_check CHECK ((octet_length(created_by) = 20)),
  constraint api_keys_key_hash_check CHECK ((octet_length(key_hash) = 32)),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'issuer'::text, 'editor'::text, 'owner'::text]))),
  constraint api_keys_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);
CREATE INDEX api_keys_by_creator ON api_keys USING btree (community_id, created_by) WHERE ((created_by IS NOT NULL) AND (revoked_at IS NULL));

create table asset_pieces (
  asset_id uuid not null,
  piece integer not null,
  bytes bytea not null,
  constraint asset_pieces_pkey PRIMARY KEY (asset_id, piece),
  constraint asset_pieces_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=80);

create table assets (
  asset_id uuid not null,
  content_type text not null,
  size_bytes bigint not null,
  piece_bytes integer not null,
  content_hash bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint assets_pkey PRIMARY KEY (asset_id),
  constraint assets_content_hash_check CHECK ((octet_length(content_hash) = 32)),
  constraint assets_piece_bytes_check CHECK ((piece_bytes > 0)),
  constraint assets_size_bytes_check CHECK ((size_bytes > 0))
);

create table audit_log (
  audit_entry_id bigint not null generated always as identity,
  recorded_at timestamp(3) with time zone not null default now(),
  actor text not null,
  api_key_id uuid,
  address bytea,
  action text not null,
  community_id text not null,
  resource_type text not null,
  resource_id text not null,
  reason text,
  constraint audit_log_pkey PRIMARY KEY (recorded_at, audit_entry_id),
  constraint audit_log_check CHECK (((actor = 'apiKey'::text) = (api_key_id IS NOT NULL)))
);
CREATE INDEX audit_log_by_action ON audit_log USING btree (action, recorded_at, audit_entry_id);
CREATE INDEX audit_log_by_api_key ON audit_log USING btree (api_key_id, recorded_at, audit_entry_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX audit_log_by_community ON audit_log USING btree (community_id, recorded_at, audit_entry_id);
CREATE TRIGGER audit_log_is_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_log_change();

create table challenge_key (
  is_only_row boolean not null default true,
  key bytea not null,
  constraint challenge_key_pkey PRIMARY KEY (is_only_row),
  constraint challenge_key_is_only_row_check CHECK (is_only_row),
  constraint challenge_key_key_check CHECK ((octet_length(key) = 32))
);

create table claim_link_clients (
  claim_link_id uuid not null,
  client_hash bytea not null,
  claim_count integer not null,
  constraint claim_link_clients_pkey PRIMARY KEY (claim_link_id, client_hash),
  constraint claim_link_clients_claim_count_check CHECK ((claim_count > 0)),
  constraint claim_link_clients_client_hash_check CHECK ((octet_length(client_hash) = 32))
);

create table claim_link_signatures (
  claim_link_signature_id uuid not null,
  token_id bigint not null,
  signer bytea not null,
  signature bytea not null,
  typed_data_version text not null,
  created_at timestamp(3) with time zone not null default now(),
  evidence jsonb,
  constraint claim_link_signatures_pkey PRIMARY KEY (claim_link_signature_id),
  constraint claim_link_signatures_signature_check CHECK (((octet_length(signature) = 65) OR ((evidence IS NOT NULL) AND (octet_length(signature) <= 8192)))),
  constraint claim_link_signatures_signer_check CHECK ((octet_length(signer) = 20))
);

create table claim_links (
  claim_link_id uuid not null,
  sequence bigint not null generated always as identity,
  token_id bigint not null,
  contributor_key bytea not null,
  identifier text,
  code_hash bytea not null,
  claim_link_signature_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  max_claims integer,
  claim_count integer not null default 0,
  starts_at timestamp(3) with time zone,
  paused_at timestamp(3) with time zone,
  is_signature_required boolean not null default false,
  max_claims_per_client integer,
  is_used boolean not null default false,
  has_clients boolean not null default false,
  made_for_token_id bigint,
  further_of uuid,
  constraint claim_links_pkey PRIMARY KEY (claim_link_id),
  constraint claim_links_claim_count CHECK (
CASE
    WHEN (max_claims IS NULL) THEN ((claim_count = 0) AND (max_claims_per_client IS NULL))
    ELSE (((claim_count >= 0) AND (claim_count <= max_claims)) AND (max_claims_per_client > 0) AND (expires_at IS NOT NULL))
END),
  constraint claim_links_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  constraint claim_links_code_hash_key UNIQUE (code_hash),
  constraint claim_links_contributor_key_check CHECK ((octet_length(contributor_key) = 32)),
  constraint claim_links_claim_link_signature_id_fkey FOREIGN KEY (claim_link_signature_id) REFERENCES claim_link_signatures(claim_link_signature_id)
);
CREATE INDEX claim_links_by_contributor ON claim_links USING btree (token_id, contributor_key) WHERE (identifier IS NOT NULL);
CREATE INDEX claim_links_by_entry ON claim_links USING btree (contributor_key, token_id);
CREATE INDEX claim_links_by_token ON claim_links USING btree (token_id, sequence);
CREATE INDEX claim_links_further ON claim_links USING btree (further_of) WHERE (further_of IS NOT NULL);
CREATE INDEX claim_links_unused ON claim_links USING btree (token_id, expires_at) WHERE ((revoked_at IS NULL) AND (NOT is_used));
CREATE INDEX claim_links_with_clients ON claim_links USING btree (LEAST(expires_at, revoked_at)) WHERE has_clients;

create table claims (
  token_id bigint not null,
  address bytea not null,
  contributor_key bytea,
  operation_id uuid,
  claimed_at timestamp(3) with time zone not null,
  burnt_at timestamp(3) with time zone,
  burn_operation_id uuid,
  ending text,
  status_changed_at timestamp(3) with time zone,
  moved_from bytea,
  renewed_until timestamp(3) with time zone,
  announced_end timestamp(3) with time zone,
  constraint claims_pkey PRIMARY KEY (token_id, address),
  constraint claims_address_check CHECK ((octet_length(address) = 20)),
  constraint claims_burn_operation_id_token_id_key UNIQUE (burn_operation_id, token_id),
  constraint claims_check CHECK (
CASE
    WHEN (burnt_at IS NULL) THEN (burn_operation_id IS NULL)
    ELSE ((burn_operation_id IS NOT NULL) OR (operation_id IS NULL) OR (NOT (ending IS DISTINCT FROM 'replaced'::text)))
END),
  constraint claims_contributor_key_check CHECK ((octet_length(contributor_key) = ANY (ARRAY[20, 32]))),
  constraint claims_ending CHECK ((((ending IS NULL) OR ((ending = ANY (ARRAY['revoked'::text, 'moved'::text, 'replaced'::text])) AND (burnt_at IS NOT NULL))) AND ((moved_from IS NULL) OR (octet_length(moved_from) = 20)))),
  constraint claims_operation_id_token_id_key UNIQUE (operation_id, token_id),
  constraint claims_burn_operation_id_fkey FOREIGN KEY (burn_operation_id) REFERENCES operations(operation_id),
  constraint claims_operation_id_fkey FOREIGN KEY (operation_id) REFERENCES operations(operation_id),
  constraint claims_token_id_contributor_key_fkey FOREIGN KEY (token_id, contributor_key) REFERENCES allowlist_entries(token_id, contributor_key),
  constraint claims_token_id_fkey FOREIGN KEY (token_id) REFERENCES tokens(token_id)
);
CREATE UNIQUE INDEX claims_by_contributor ON claims USING btree (token_id, contributor_key) WHERE (contributor_key IS NOT NULL);
CREATE INDEX claims_by_time ON claims USING btree (token_id, claimed_at, address) WHERE (burnt_at IS NULL);
CREATE INDEX claims_ended_by_time ON claims USING btree (token_id, claimed_at, address) WHERE (burnt_at IS NOT NULL);
CREATE INDEX claims_held_by_address ON claims USING btree (address, token_id) WHERE (burnt_at IS NULL);
CREATE INDEX claims_renewed ON claims USING btree (token_id, renewed_until) WHERE ((renewed_until IS NOT NULL) AND (burnt_at IS NULL));
CREATE INDEX claims_to_announce ON claims USING btree (token_id, renewed_until) WHERE ((renewed_until IS NOT NULL) AND (burnt_at IS NULL) AND ((announced_end IS NULL) OR (announced_end < renewed_until)));
CREATE TRIGGER claims_count_new AFTER INSERT ON claims REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_claims();
CREATE TRIGGER claims_record_new AFTER INSERT ON claims REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_content('true');
CREATE TRIGGER claims_record_updated AFTER UPDATE ON claims REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_content('true');
CREATE TRIGGER claims_revoke_credential AFTER UPDATE OF burnt_at ON claims FOR EACH ROW WHEN (old.burnt_at IS NULL AND new.burnt_at IS NOT NULL) EXECUTE FUNCTION revoke_credential();

create table communities (
  community_id text not null,
  display_id text not null,
  name text not null,
  description text not null,
  logo_url text,
  admin_addresses bytea[] not null default '{}'::bytea[],
  created_at timestamp(3) with time zone not null default now(),
  claim_link_count bigint not null default 0,
  managed_creator bytea,
  contract_wallet_chain_id bigint,
  remind_unclaimed_after integer[] not null default '{}'::integer[],
  remind_before_expiry integer[] not null default '{}'::integer[],
  constraint communities_pkey PRIMARY KEY (community_id),
  constraint communities_contract_wallet_chain_id_check CHECK ((contract_wallet_chain_id > 0)),
  constraint communities_managed_creator_check CHECK ((octet_length(managed_creator) = 20))
);
CREATE TRIGGER communities_follow_admin_addresses AFTER INSERT OR UPDATE OF admin_addresses ON communities FOR EACH ROW EXECUTE FUNCTION follow_admin_addresses();

create table credentials (
  credential_id uuid not null default gen_random_uuid(),
  token_id bigint not null,
  address bytea not null,
  list_id uuid not null,
  status_index integer not null,
  created_at timestamp(3) with time zone not null default now(),
  revoked_at timestamp(3) with time zone,
  valid_until timestamp(3) with time zone,
  constraint credentials_pkey PRIMARY KEY (credential_id),
  constraint credentials_address_check CHECK ((octet_length(address) = 20)),
  constraint credentials_by_index UNIQUE (list_id, status_index),
  constraint credentials_status_index_check CHECK (((status_index >= 0) AND (status_index <= 131071))),
  constraint credentials_list_id_fkey FOREIGN KEY (list_id) REFERENCES status_lists(list_id)
);
CREATE INDEX credentials_revoked ON credentials USING btree (list_id, revoked_at) INCLUDE (status_index) WHERE (revoked_at IS NOT NULL);
CREATE UNIQUE INDEX credentials_valid ON credentials USING btree (token_id, address, COALESCE(valid_until, 'infinity'::timestamp with time zone)) WHERE (revoked_at IS NULL);

create table deployment (
  is_only_row boolean not null default true,
  environment text not null,
  chain_id bigint not null,
  verifying_contract bytea not null,
  recorded_at timestamp(3) with time zone not null default now(),
  constraint deployment_pkey PRIMARY KEY (is_only_row),
  constraint deployment_chain_id_check CHECK ((chain_id > 0)),
  constraint deployment_is_only_row_check CHECK (is_only_row),
  constraint deployment_verifying_contract_check CHECK ((octet_length(verifying_contract) = 20))
);

create table email_challenges (
  challenge_id uuid not null,
  email bytea not null,
  email_hash bytea not null,
  mailbox_hash bytea not null,
  wrong_codes integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  code_hash bytea,
  mail_id uuid not null,
  language text not null,
  link bytea,
  mailed_at timestamp(3) with time zone,
  next_attempt_at timestamp(3) with time zone default now(),
  constraint email_challenges_pkey PRIMARY KEY (challenge_id),
  constraint email_challenges_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  constraint email_challenges_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint email_challenges_mailbox_hash_check CHECK ((octet_length(mailbox_hash) = 32)),
  constraint email_challenges_queued CHECK (((link IS NULL) = (next_attempt_at IS NULL)))
);
CREATE INDEX email_challenges_by_code ON email_challenges USING btree (email_hash, code_hash);
CREATE INDEX email_challenges_by_time ON email_challenges USING btree (created_at);
CREATE INDEX email_challenges_to_send ON email_challenges USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);

create table ens_names (
  address bytea not null,
  name text,
  looked_up_at timestamp(3) with time zone,
  wanted_at timestamp(3) with time zone not null default now(),
  leased_until timestamp(3) with time zone,
  constraint ens_names_pkey PRIMARY KEY (address),
  constraint ens_names_address_check CHECK ((octet_length(address) = 20))
);
CREATE INDEX ens_names_by_look_up ON ens_names USING btree (looked_up_at NULLS FIRST);

create table event_counter (
  is_only_row boolean not null default true,
  last_position bigint not null default 0,
  last_deleted_position bigint not null default 0,
  constraint event_counter_pkey PRIMARY KEY (is_only_row),
  constraint event_counter_is_only_row_check CHECK (is_only_row)
);

create table event_outbox (
  sequence bigint not null generated always as identity,
  event_id uuid not null default gen_random_uuid(),
  community_id text not null,
  type text not null,
  data jsonb not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint event_outbox_pkey PRIMARY KEY (sequence)
);

create table events (
  position bigint not null,
  event_id uuid not null,
  community_id text not null,
  type text not null,
  data jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint events_pkey PRIMARY KEY ("position")
);
CREATE INDEX events_by_community ON events USING btree (community_id, "position");

create table expiry_turns (
  token_id bigint not null,
  next_at timestamp(3) with time zone not null,
  walked_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  walked_address bytea not null default '\x'::bytea,
  constraint expiry_turns_pkey PRIMARY KEY (token_id)
);
CREATE INDEX expiry_turns_due ON expiry_turns USING btree (next_at) WHERE (next_at < 'infinity'::timestamp with time zone);

create table hidden_tokens (
  token_id bigint not null,
  address bytea not null,
  constraint hidden_tokens_pkey PRIMARY KEY (token_id, address),
  constraint hidden_tokens_address_check CHECK ((octet_length(address) = 20)),
  constraint hidden_tokens_token_id_fkey FOREIGN KEY (token_id) REFERENCES tokens(token_id)
);
CREATE TRIGGER hidden_tokens_record_deleted AFTER DELETE ON hidden_tokens REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_content('true');
CREATE TRIGGER hidden_tokens_record_new AFTER INSERT ON hidden_tokens REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_content('true');

create table holders (
  email_hash bytea not null,
  move_nonce bigint not null default 0,
  default_address bytea,
  constraint holders_pkey PRIMARY KEY (email_hash),
  constraint holders_default_address_check CHECK ((octet_length(default_address) = 20)),
  constraint holders_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint holders_move_nonce_check CHECK ((move_nonce >= 0))
);
CREATE INDEX holders_by_default_address ON holders USING btree (default_address) WHERE (default_address IS NOT NULL);

create table idempotency_keys (
  scope bytea not null,
  body_hash bytea not null,
  request_id uuid not null,
  status integer,
  headers jsonb,
  body text,
  created_at timestamp with time zone not null default now(),
  locked_until timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (scope),
  constraint idempotency_keys_body_hash_check CHECK ((octet_length(body_hash) = 32)),
  constraint idempotency_keys_check CHECK ((num_nulls(status, headers, body) = ANY (ARRAY[0, 3]))),
  constraint idempotency_keys_scope_check CHECK ((octet_length(scope) = 32))
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys USING btree (created_at);

create table invitation_requests (
  invitation_request_id uuid not null,
  message text,
  public_url text not null,
  time_zone text,
  constraint invitation_requests_pkey PRIMARY KEY (invitation_request_id)
);

create table invitations (
  invitation_id uuid not null,
  sequence bigint not null generated always as identity,
  invitation_request_id uuid not null,
  community_id text not null,
  token_id bigint not null,
  kind text not null default 'invitation'::text,
  recipient_id uuid,
  unconfirmed_email bytea,
  email_hash bytea,
  mailbox_hash bytea,
  language text not null,
  claim_link_id uuid,
  code bytea,
  contributor_key bytea,
  source_link_id uuid,
  confirmation_hash bytea,
  client_hash bytea,
  created_by bytea,
  created_by_key uuid,
  reminder_days integer,
  valid_until timestamp(3) with time zone,
  mail_id uuid not null,
  state text not null,
  error text,
  attempts integer not null default 0,
  first_attempt_at timestamp(3) with time zone,
  send_at timestamp(3) with time zone,
  next_attempt_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  sent_at timestamp(3) with time zone,
  earlier_sent_at timestamp(3) with time zone[] not null default '{}'::timestamp with time zone[],
  revoked_at timestamp(3) with time zone,
  erase_at timestamp(3) with time zone,
  constraint invitations_pkey PRIMARY KEY (invitation_id),
  constraint invitations_check CHECK ((num_nulls(email_hash, mailbox_hash) = ANY (ARRAY[0, 2]))),
  constraint invitations_client_hash_check CHECK ((octet_length(client_hash) = 32)),
  constraint invitations_confirmation_hash_check CHECK ((octet_length(confirmation_hash) = 32)),
  constraint invitations_contributor_key_check CHECK ((octet_length(contributor_key) = 20)),
  constraint invitations_created_by_check CHECK ((octet_length(created_by) = 20)),
  constraint invitations_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint invitations_kind CHECK ((((kind <> ALL (ARRAY['confirmation'::text, 'reservation'::text])) OR (source_link_id IS NOT NULL)) AND ((kind <> 'confirmation'::text) OR (confirmation_hash IS NOT NULL)))),
  constraint invitations_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'confirmation'::text, 'reservation'::text, 'reminder'::text, 'expiryReminder'::text]))),
  constraint invitations_mailbox_hash_check CHECK ((octet_length(mailbox_hash) = 32)),
  constraint invitations_queued CHECK (((next_attempt_at IS NULL) OR ((state = 'queued'::text) AND (email_hash IS NOT NULL) AND ((code IS NOT NULL) OR (contributor_key IS NOT NULL) OR (kind = 'expiryReminder'::text))))),
  constraint invitations_recipient CHECK (((kind = 'confirmation'::text) = (unconfirmed_email IS NOT NULL))),
  constraint invitations_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'unsubscribed'::text]))),
  constraint invitations_invitation_request_id_fkey FOREIGN KEY (invitation_request_id) REFERENCES invitation_requests(invitation_request_id)
);
CREATE UNIQUE INDEX invitations_by_confirmation ON invitations USING btree (confirmation_hash) WHERE (confirmation_hash IS NOT NULL);
CREATE INDEX invitations_by_email ON invitations USING btree (email_hash, token_id) WHERE (email_hash IS NOT NULL);
CREATE INDEX invitations_by_entry ON invitations USING btree (token_id, contributor_key) WHERE (contributor_key IS NOT NULL);
CREATE INDEX invitations_by_link ON invitations USING btree (claim_link_id);
CREATE INDEX invitations_by_mailbox ON invitations USING btree (mailbox_hash, token_id) WHERE (mailbox_hash IS NOT NULL);
CREATE INDEX invitations_by_source ON invitations USING btree (source_link_id) WHERE (kind = 'reservation'::text);
CREATE INDEX invitations_by_token ON invitations USING btree (token_id, sequence);
CREATE INDEX invitations_reminders ON invitations USING btree (recipient_id) WHERE (kind = ANY (ARRAY['reminder'::text, 'expiryReminder'::text]));
CREATE INDEX invitations_to_erase ON invitations USING btree (erase_at) WHERE (email_hash IS NOT NULL);
CREATE INDEX invitations_to_remind ON invitations USING btree (community_id, sent_at) WHERE ((state = 'sent'::text) AND (kind = ANY (ARRAY['invitation'::text, 'reservation'::text])));
CREATE INDEX invitations_to_send ON invitations USING btree (community_id, next_attempt_at, sequence) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX invitations_unconfirmed ON invitations USING btree (created_at) WHERE (kind = 'confirmation'::text);

create table issuer_keys (
  community_id text not null,
  generation integer not null,
  public_key bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  replaced_at timestamp(3) with time zone,
  constraint issuer_keys_pkey PRIMARY KEY (community_id, generation),
  constraint issuer_keys_generation_check CHECK ((generation > 0)),
  constraint issuer_keys_public_key_check CHECK ((octet_length(public_key) = 32)),
  constraint issuer_keys_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);

create table kept_addresses (
  address bytea not null,
  community_id text not null,
  email_hash bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint kept_addresses_pkey PRIMARY KEY (address),
  constraint kept_addresses_address_check CHECK ((octet_length(address) = 20)),
  constraint kept_addresses_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint kept_addresses_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);
CREATE UNIQUE INDEX kept_addresses_by_email ON kept_addresses USING btree (email_hash, community_id);

create table mail_counts (
  community_id text not null,
  hour timestamp(3) with time zone not null,
  mails integer not null,
  invitations integer not null default 0,
  constraint mail_counts_pkey PRIMARY KEY (community_id, hour),
  constraint mail_counts_mails_check CHECK ((mails >= 0))
);

create table mail_turns (
  community_id text not null,
  next_attempt_at timestamp(3) with time zone,
  leased_until timestamp(3) with time zone,
  failures integer not null default 0,
  reminded_until timestamp(3) with time zone,
  constraint mail_turns_pkey PRIMARY KEY (community_id)
);
CREATE INDEX mail_turns_due ON mail_turns USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);

create table mail_unsubscriptions (
  email_hash bytea not null,
  community_id text not null,
  unsubscribed_at timestamp(3) with time zone not null default now(),
  constraint mail_unsubscriptions_pkey PRIMARY KEY (email_hash, community_id),
  constraint mail_unsubscriptions_email_hash_check CHECK ((octet_length(email_hash) = 32))
);

create table members (
  community_id text not null,
  address bytea not null,
  role text not null,
  sequence bigint not null generated always as identity,
  added_at timestamp(3) with time zone not null default now(),
  constraint members_pkey PRIMARY KEY (community_id, address),
  constraint members_address_check CHECK ((octet_length(address) = 20)),
  constraint members_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'issuer'::text, 'editor'::text, 'owner'::text]))),
  constraint members_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);
CREATE INDEX members_by_address ON members USING btree (address, community_id);
CREATE UNIQUE INDEX members_in_order ON members USING btree (community_id, sequence);

create table nft_types (
  community_id text not null,
  nft_type_id text not null,
  sequence bigint not null generated always as identity,
  name text not null,
  alias text,
  asset_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  is_asset_kept boolean not null default false,
  removed_bytes bigint,
  removed_at timestamp(3) with time zone,
  constraint nft_types_pkey PRIMARY KEY (community_id, nft_type_id),
  constraint nft_types_asset_id_key UNIQUE (asset_id),
  constraint nft_types_asset_of_undeleted CHECK (((asset_id IS NOT NULL) OR ((deleted_at IS NOT NULL) AND (NOT is_asset_kept)))),
  constraint nft_types_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id),
  constraint nft_types_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);
CREATE INDEX nft_types_by_age ON nft_types USING btree (community_id, sequence) WHERE (deleted_at IS NULL);
CREATE INDEX nft_types_removed ON nft_types USING btree (community_id, removed_at) WHERE (removed_at IS NOT NULL);
CREATE INDEX nft_types_to_collect ON nft_types USING btree (sequence) WHERE ((deleted_at IS NOT NULL) AND (asset_id IS NOT NULL) AND (NOT is_asset_kept));
CREATE INDEX nft_types_with_asset ON nft_types USING btree (community_id) WHERE (asset_id IS NOT NULL);

create table operations (
  operation_id uuid not null,
  sequence bigint not null generated always as identity,
  operation_type text not null,
  status text not null default 'pending'::text,
  community_id text not null,
  api_key_id uuid,
  request_identity bytea,
  request jsonb,
  request_bytes integer not null,
  resource_id bigint,
  tx_hash text,
  error jsonb,
  warnings jsonb,
  created_at timestamp(3) with time zone not null default now(),
  completed_at timestamp(3) with time zone,
  constraint operations_pkey PRIMARY KEY (operation_id),
  constraint operations_check CHECK (((status = ANY (ARRAY['success'::text, 'error'::text])) = (completed_at IS NOT NULL))),
  constraint operations_check1 CHECK ((((status = 'success'::text) AND (operation_type <> 'moveBadges'::text)) = (resource_id IS NOT NULL))),
  constraint operations_check2 CHECK (((status = 'error'::text) = (error IS NOT NULL))),
  constraint operations_request_identity_check CHECK ((octet_length(request_identity) = 32)),
  constraint operations_request_identity_key UNIQUE (request_identity),
  constraint operations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'success'::text, 'error'::text]))),
  constraint operations_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(api_key_id)
);
CREATE INDEX operations_by_nft_type ON operations USING btree (community_id, ((request ->> 'nftTypeId'::text))) WHERE ((status = ANY (ARRAY['pending'::text, 'processing'::text])) AND (operation_type = 'createToken'::text) AND ((request ->> 'assetContentType'::text) IS NOT NULL));
CREATE INDEX operations_isolated_by_community ON operations USING btree (community_id, sequence) WHERE (status = 'processing'::text);
CREATE INDEX operations_of_owners ON operations USING btree (resource_id) WHERE ((operation_type = ANY (ARRAY['revoke'::text, 'reinstate'::text, 'move'::text, 'replace'::text, 'renew'::text])) AND (status = 'success'::text));
CREATE INDEX operations_pending_by_community ON operations USING btree ((
CASE
    WHEN (operation_type = ANY (ARRAY['airdrop'::text, 'communityAdminAirdrop'::text, 'communityAdminAirdropWithoutConsentSig'::text])) THEN 'claim'::text
    ELSE operation_type
END), community_id, sequence) WHERE (status = 'pending'::text);
CREATE INDEX operations_removals ON operations USING btree (resource_id, completed_at) WHERE ((operation_type = 'removeContributors'::text) AND (status = 'success'::text));

create table recipients (
  recipient_id uuid not null default gen_random_uuid(),
  sequence bigint not null generated always as identity,
  token_id bigint not null,
  contributor_key bytea not null,
  way text not null,
  address bytea,
  identifier text,
  claim_link_id uuid,
  invitation_id uuid,
  name bytea,
  email bytea,
  note bytea,
  email_hash bytea,
  added_at timestamp(3) with time zone not null,
  is_former boolean not null default false,
  removed_at timestamp(3) with time zone,
  constraint recipients_pkey PRIMARY KEY (recipient_id),
  constraint recipients_address_check CHECK ((octet_length(address) = 20)),
  constraint recipients_by_entry UNIQUE (token_id, contributor_key),
  constraint recipients_contributor_key_check CHECK ((octet_length(contributor_key) = ANY (ARRAY[20, 32]))),
  constraint recipients_email_hash CHECK (((email_hash IS NULL) = (email IS NULL))),
  constraint recipients_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint recipients_former CHECK (((NOT is_former) OR (num_nonnulls(name, email, note) = 0))),
  constraint recipients_way_check CHECK ((way = ANY (ARRAY['list'::text, 'link'::text, 'invitation'::text, 'reservation'::text, 'room'::text, 'open'::text, 'airdrop'::text, 'import'::text])))
);
CREATE INDEX recipients_by_address ON recipients USING btree (token_id, address) WHERE (address IS NOT NULL);
CREATE INDEX recipients_by_email ON recipients USING btree (token_id, email_hash) WHERE (email_hash IS NOT NULL);
CREATE INDEX recipients_hashed ON recipients USING btree (token_id) WHERE ((way = 'import'::text) AND (split_part(identifier, '$'::text, 1) = ANY (ARRAY['sha256'::text, 'md5'::text])));
CREATE INDEX recipients_in_order ON recipients USING btree (token_id, sequence) WHERE (removed_at IS NULL);
CREATE INDEX recipients_removed ON recipients USING btree (removed_at) WHERE (removed_at IS NOT NULL);

create table refused_communities (
  address bytea not null,
  community_id text not null,
  constraint refused_communities_pkey PRIMARY KEY (address, community_id),
  constraint refused_communities_address_check CHECK ((octet_length(address) = 20)),
  constraint refused_communities_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);

create unlogged table request_counts (
  window_number bigint not null,
  name text not null,
  process_id uuid not null,
  requests integer not null,
  constraint request_counts_pkey PRIMARY KEY (window_number, name, process_id),
  constraint request_counts_name_check CHECK ((length(name) = 22)),
  constraint request_counts_requests_check CHECK ((requests > 0))
);

create table requested_mails (
  email_hash bytea not null,
  requested_at timestamp(3) with time zone not null default now(),
  kind text not null default 'stranger'::text,
  constraint requested_mails_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint requested_mails_kind_check CHECK ((kind = ANY (ARRAY['stranger'::text, 'repeated'::text, 'signIn'::text, 'signInMailbox'::text])))
);
CREATE INDEX requested_mails_by_address ON requested_mails USING btree (email_hash, requested_at);
CREATE INDEX requested_mails_by_time ON requested_mails USING btree (requested_at);

create table reservation_clients (
  client_hash bytea not null,
  hour timestamp(3) with time zone not null,
  requests integer not null,
  constraint reservation_clients_pkey PRIMARY KEY (client_hash, hour),
  constraint reservation_clients_client_hash_check CHECK ((octet_length(client_hash) = 32))
);

create table reservation_counts (
  counted_for text not null,
  hour timestamp(3) with time zone not null,
  requests integer not null,
  constraint reservation_counts_pkey PRIMARY KEY (counted_for, hour)
);

create table resubscription_mails (
  mail_id uuid not null,
  community_id text not null,
  recipient bytea not null,
  language text not null,
  public_url text not null,
  requested_at timestamp(3) with time zone not null default now(),
  is_counted boolean not null default false,
  next_attempt_at timestamp(3) with time zone not null default now(),
  constraint resubscription_mails_pkey PRIMARY KEY (mail_id)
);
CREATE INDEX resubscription_mails_to_send ON resubscription_mails USING btree (community_id, next_attempt_at);

create table sessions (
  session_id uuid not null,
  token_hash bytea not null,
  address bytea,
  email_hash bytea,
  encrypted_email bytea,
  nonce text not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  evidence jsonb,
  constraint sessions_pkey PRIMARY KEY (session_id),
  constraint sessions_address_check CHECK ((octet_length(address) = 20)),
  constraint sessions_email_hash_check CHECK ((octet_length(email_hash) = 32)),
  constraint sessions_identity CHECK ((((address IS NULL) = (email_hash IS NOT NULL)) AND ((email_hash IS NULL) = (encrypted_email IS NULL)))),
  constraint sessions_nonce_key UNIQUE (nonce),
  constraint sessions_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  constraint sessions_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX sessions_by_address ON sessions USING btree (address, created_at) WHERE (ended_at IS NULL);
CREATE INDEX sessions_by_email ON sessions USING btree (email_hash, created_at) WHERE ((ended_at IS NULL) AND (email_hash IS NOT NULL));
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);

create table signatures (
  operation_id uuid not null,
  primary_type text not null,
  token_id bigint not null,
  signer bytea not null,
  signature bytea not null,
  typed_data_version text not null,
  evidence jsonb,
  constraint signatures_pkey PRIMARY KEY (operation_id, primary_type),
  constraint signatures_signature_check CHECK (((octet_length(signature) = 65) OR ((evidence IS NOT NULL) AND (octet_length(signature) <= 8192)))),
  constraint signatures_signer_check CHECK ((octet_length(signer) = 20)),
  constraint signatures_operation_id_fkey FOREIGN KEY (operation_id) REFERENCES operations(operation_id)
);

create table status_lists (
  list_id uuid not null default gen_random_uuid(),
  community_id text not null,
  generation integer not null,
  base_url text not null,
  entry_count integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  constraint status_lists_pkey PRIMARY KEY (list_id),
  constraint status_lists_community_id_generation_fkey FOREIGN KEY (community_id, generation) REFERENCES issuer_keys(community_id, generation)
);
CREATE INDEX status_lists_by_key ON status_lists USING btree (community_id, generation, base_url, created_at);

create table token_changes (
  xid xid8 not null default pg_current_xact_id(),
  lowest_id bigint not null,
  highest_id bigint not null,
  changes_lists boolean not null,
  is_of_owners boolean not null default false
);
CREATE INDEX token_changes_by_xid ON token_changes USING btree (xid);

create table token_changes_horizon (
  is_only_row boolean not null default true,
  xid xid8 not null,
  constraint token_changes_horizon_pkey PRIMARY KEY (is_only_row),
  constraint token_changes_horizon_is_only_row_check CHECK (is_only_row)
);

create table token_counter (
  is_only_row boolean not null default true,
  last_token_id bigint not null,
  constraint token_counter_pkey PRIMARY KEY (is_only_row),
  constraint token_counter_is_only_row_check CHECK (is_only_row)
);

create table token_counts (
  token_id bigint not null,
  claimed_count bigint not null,
  contributor_count bigint not null,
  recipient_count bigint not null default 0,
  constraint token_counts_pkey PRIMARY KEY (token_id)
) with (fillfactor=50);
CREATE TRIGGER token_counts_record_new AFTER INSERT ON token_counts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_content('false');
CREATE TRIGGER token_counts_record_updated AFTER UPDATE ON token_counts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_content('false');

create table token_list_blocks (
  list_id uuid not null,
  is_hidden boolean not null,
  block bigint not null,
  tokens bigint not null,
  constraint token_list_blocks_pkey PRIMARY KEY (list_id, is_hidden, block)
) with (fillfactor=80);

create table token_list_entries (
  list_id uuid not null,
  is_hidden boolean not null,
  token_id bigint not null,
  constraint token_list_entries_pkey PRIMARY KEY (list_id, is_hidden, token_id)
);

create table tokens (
  token_id bigint not null,
  operation_id uuid,
  community_id text not null,
  creator bytea not null,
  headline text not null,
  description text not null,
  start_timestamp bigint,
  end_timestamp bigint,
  links jsonb not null,
  nft_type_id text not null,
  is_signature_required boolean not null,
  is_allowlist_required boolean not null,
  total_claim_count bigint,
  remaining_claim_count bigint,
  expiration_timestamp bigint,
  custom_attributes jsonb not null,
  signature bytea,
  typed_data_version text not null default 'badge/1'::text,
  evidence jsonb,
  created_at timestamp(3) with time zone not null,
  is_hidden boolean not null default false,
  asset_content_type text,
  criteria text,
  claimable_from_timestamp bigint,
  valid_until timestamp(3) with time zone,
  validity_days integer,
  replaced_by_token_id bigint,
  replaced_at timestamp(3) with time zone,
  imported_service text,
  imported_id text,
  imported_url text,
  imported_at timestamp(3) with time zone,
  constraint tokens_pkey PRIMARY KEY (token_id),
  constraint tokens_check CHECK (((remaining_claim_count >= 0) AND (remaining_claim_count <= total_claim_count))),
  constraint tokens_check1 CHECK ((is_allowlist_required = (total_claim_count IS NULL))),
  constraint tokens_check2 CHECK ((is_allowlist_required = (remaining_claim_count IS NULL))),
  constraint tokens_check3 CHECK (((valid_until IS NULL) OR (validity_days IS NULL))),
  constraint tokens_check4 CHECK (((replaced_by_token_id IS NULL) = (replaced_at IS NULL))),
  constraint tokens_creator_check CHECK ((octet_length(creator) = 20)),
  constraint tokens_imported CHECK (
CASE
    WHEN (imported_at IS NULL) THEN ((num_nulls(operation_id, signature) = 0) AND (num_nonnulls(imported_service, imported_id, imported_url) = 0))
    ELSE ((num_nonnulls(operation_id, signature, evidence) = 0) AND (num_nulls(imported_service, imported_id) = 0))
END),
  constraint tokens_operation_id_key UNIQUE (operation_id),
  constraint tokens_token_id_check CHECK ((token_id > 0)),
  constraint tokens_total_claim_count_check CHECK ((total_claim_count > 0)),
  constraint tokens_validity_days_check CHECK (((validity_days >= 1) AND (validity_days <= 36500))),
  constraint tokens_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id),
  constraint tokens_operation_id_fkey FOREIGN KEY (operation_id) REFERENCES operations(operation_id),
  constraint tokens_replaced_by_token_id_fkey FOREIGN KEY (replaced_by_token_id) REFERENCES tokens(token_id) DEFERRABLE
);
CREATE INDEX tokens_by_community ON tokens USING btree (community_id, token_id);
CREATE INDEX tokens_by_nft_type ON tokens USING btree (community_id, nft_type_id) WHERE (asset_content_type IS NOT NULL);
CREATE UNIQUE INDEX tokens_by_source ON tokens USING btree (community_id, imported_service, imported_id) WHERE (imported_at IS NOT NULL);
CREATE INDEX tokens_hidden ON tokens USING btree (token_id) WHERE is_hidden;
CREATE INDEX tokens_replaced ON tokens USING btree (replaced_by_token_id) WHERE (replaced_by_token_id IS NOT NULL);
CREATE TRIGGER tokens_list_changed AFTER UPDATE OF is_hidden, headline, custom_attributes ON tokens FOR EACH ROW WHEN (old.is_hidden <> new.is_hidden OR old.headline <> new.headline OR old.custom_attributes <> new.custom_attributes) EXECUTE FUNCTION list_changed_token();
CREATE TRIGGER tokens_list_new AFTER INSERT ON tokens REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION list_new_tokens();
CREATE TRIGGER tokens_record_new AFTER INSERT ON tokens REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION record_new_tokens();
CREATE TRIGGER tokens_record_updated AFTER UPDATE ON tokens REFERENCING OLD TABLE AS former NEW TABLE AS updated FOR EACH STATEMENT EXECUTE FUNCTION record_token_updates();

create table transfers (
  transfer_id bigint not null generated always as identity,
  kind text not null,
  community_id text not null,
  status text not null default 'accepted'::text,
  parameters jsonb not null,
  asset_id uuid,
  percent smallint,
  line_count bigint not null default 0,
  imported_count bigint not null default 0,
  skipped_count bigint not null default 0,
  problem_count bigint not null default 0,
  problems jsonb,
  plan jsonb,
  error text,
  download_count integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  completed_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  leased_until timestamp(3) with time zone,
  attempt_count integer not null default 0,
  constraint transfers_pkey PRIMARY KEY (transfer_id),
  constraint transfers_asset_id_key UNIQUE (asset_id),
  constraint transfers_check CHECK (((status = ANY (ARRAY['success'::text, 'error'::text])) = (completed_at IS NOT NULL))),
  constraint transfers_check1 CHECK (((status = 'error'::text) = (error IS NOT NULL))),
  constraint transfers_kind_check CHECK ((kind = ANY (ARRAY['export'::text, 'import'::text]))),
  constraint transfers_percent_check CHECK (((percent >= 0) AND (percent <= 100))),
  constraint transfers_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'pending'::text, 'processing'::text, 'success'::text, 'error'::text]))),
  constraint transfers_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(asset_id),
  constraint transfers_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);
CREATE INDEX transfers_by_expiry ON transfers USING btree (expires_at);
CREATE INDEX transfers_unfinished ON transfers USING btree (community_id, transfer_id) WHERE (status = ANY (ARRAY['accepted'::text, 'pending'::text, 'processing'::text]));

create table webhook_deliveries (
  delivery_id uuid not null default gen_random_uuid(),
  sequence bigint not null generated always as identity,
  webhook_id uuid not null,
  event_id uuid not null,
  event_position bigint,
  event_type text not null,
  status text not null default 'pending'::text,
  attempts jsonb not null default '[]'::jsonb,
  next_attempt_at timestamp(3) with time zone default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id)
);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries USING btree (webhook_id, status, sequence);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries USING btree (webhook_id, sequence);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (webhook_id, next_attempt_at, sequence) WHERE (status = 'pending'::text);

create table webhooks (
  webhook_id uuid not null,
  sequence bigint not null generated always as identity,
  community_id text not null,
  encrypted_url bytea not null,
  created_by bytea,
  url_set_by bytea,
  secret_made_by bytea,
  maker_left_at timestamp(3) with time zone,
  name text not null,
  events text[],
  encrypted_secret bytea not null,
  encrypted_former_secret bytea,
  former_secret_expires_at timestamp(3) with time zone,
  is_enabled boolean not null default true,
  disabled_reason text,
  created_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  failures integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  leased_until timestamp(3) with time zone,
  constraint webhooks_pkey PRIMARY KEY (webhook_id),
  constraint webhooks_created_by_check CHECK ((octet_length(created_by) = 20)),
  constraint webhooks_secret_made_by_check CHECK ((octet_length(secret_made_by) = 20)),
  constraint webhooks_url_set_by_check CHECK ((octet_length(url_set_by) = 20)),
  constraint webhooks_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(community_id)
);
CREATE INDEX webhooks_by_community ON webhooks USING btree (community_id, sequence) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_deleted ON webhooks USING btree (webhook_id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX webhooks_due ON webhooks USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);

CREATE OR REPLACE FUNCTION attribute_text(value jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select case
    when jsonb_typeof(value) <> 'number' then value #>> '{}'
    when abs(value::numeric) >= 1e21 or (abs(value::numeric) < 1e-6 and value::numeric <> 0)
      then regexp_replace(value::numeric::double precision::text, 'e([+-])0', 'e\1')
    else trim_scale(value::numeric)::text
  end
$function$;

CREATE OR REPLACE FUNCTION check_tokens_of_allowlist_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from (select distinct token_id from written) w
    where not exists (select from tokens t where t.token_id = w.token_id)
  ) then
    raise exception 'an allowlist entry has no token'
      using errcode = 'foreign_key_violation', constraint = 'allowlist_entries_token';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_allowlist_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into token_counts as c (token_id, claimed_count, contributor_count)
  select n.token_id, 0, n.change
  from (
    select token_id, case tg_op when 'DELETE' then - count(*) else count(*) end as change
    from touched group by token_id
  ) n
  cross join lateral (
    select from tokens t where t.token_id = n.token_id and t.is_allowlist_required limit 1
  ) t
  order by n.token_id
  on conflict (token_id) do update set contributor_count = c.contributor_count + excluded.contributor_count;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_claims()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into token_counts as c (token_id, claimed_count, contributor_count)
  select n.token_id, n.claims, 0
  from (select token_id, count(*) as claims from added where moved_from is null group by token_id) n
  cross join lateral (
    select from tokens t where t.token_id = n.token_id and t.is_allowlist_required limit 1
  ) t
  order by n.token_id
  on conflict (token_id) do update set claimed_count = c.claimed_count + excluded.claimed_count;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION event_mark(event_id uuid, community_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(encode(sha256(convert_to((((event_id)::text || ' '::text) || community_id), 'UTF8'::name)), 'hex'::text), 8);

CREATE OR REPLACE FUNCTION follow_admin_addresses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from members
  where community_id = new.community_id and role = 'owner' and not address = any(new.admin_addresses);
  insert into members (community_id, address, role)
  select new.community_id, listed.address, 'owner'
  from unnest(new.admin_addresses) with ordinality as listed (address, position)
  group by listed.address
  order by min(listed.position)
  on conflict (community_id, address) do update set role = 'owner' where members.role <> 'owner';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION list_changed_token()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  with change as materialized (
    select list_id, is_hidden, sum(tokens) as tokens
    from (
      select list_id, old.is_hidden, -1 as tokens
      from token_list_ids(old.community_id, old.headline, old.custom_attributes) as list_id
      union all
      select list_id, new.is_hidden, 1
      from token_list_ids(new.community_id, new.headline, new.custom_attributes) as list_id
    ) as membership
    group by list_id, is_hidden having sum(tokens) <> 0
  ), removed as (
    delete from token_list_entries e using change c
    where c.tokens < 0 and e.list_id = c.list_id and e.is_hidden = c.is_hidden and e.token_id = old.token_id
  ), listed as (
    insert into token_list_entries (list_id, is_hidden, token_id)
    select list_id, is_hidden, old.token_id from change where tokens > 0
  )
  insert into token_list_blocks as b (list_id, is_hidden, block, tokens)
  select list_id, is_hidden, old.token_id >> 12, tokens from change order by list_id, is_hidden
  on conflict (list_id, is_hidden, block) do update set tokens = b.tokens + excluded.tokens;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION list_new_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with member as materialized (
    select list_id, t.is_hidden, t.token_id
    from added t
    cross join lateral token_list_ids(t.community_id, t.headline, t.custom_attributes) as list_id
  ), listed as (
    insert into token_list_entries (list_id, is_hidden, token_id)
    select list_id, is_hidden, token_id from member order by list_id, is_hidden, token_id
  )
  insert into token_list_blocks as b (list_id, is_hidden, block, tokens)
  select list_id, is_hidden, token_id >> 12, count(*) from member
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (list_id, is_hidden, block) do update set tokens = b.tokens + excluded.tokens;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION record_changes_of_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (select count(*) from touched) > 256 then
    insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
    select min(token_id), max(token_id), false, tg_argv[0]::boolean from touched;
  else
    insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
    select distinct token_id, token_id, false, tg_argv[0]::boolean from touched;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION record_new_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into token_changes (lowest_id, highest_id, changes_lists)
  select min(token_id), max(token_id), true from touched having count(*) > 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION record_token_updates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (select count(*) from updated) > 256 then
    insert into token_changes (lowest_id, highest_id, changes_lists)
    select min(token_id), max(token_id), true from updated;
  else
    insert into token_changes (lowest_id, highest_id, changes_lists)
    select token_id, token_id, count(distinct is_hidden) > 1
    from (select token_id, is_hidden from former union all select token_id, is_hidden from updated) as version
    group by token_id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_audit_log_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit log is only added to: % is refused', lower(tg_op);
end $function$;

CREATE OR REPLACE FUNCTION revoke_credential()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update credentials set revoked_at = statement_timestamp()
  where token_id = old.token_id and address = old.address and revoked_at is null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION token_list_id(VARIADIC parts text[])
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select encode(substring(sha256(convert_to(parts::text, 'UTF8')) for 16), 'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION token_list_ids(community_id text, headline text, custom_attributes jsonb)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select token_list_id('tokens')
  union all select token_list_id('community', community_id)
  union all select token_list_id('headline', community_id, headline)
  union all (
    select distinct token_list_id('attribute', community_id, a."fieldName", attribute_text(a.value))
    from jsonb_to_recordset(custom_attributes) as a ("fieldName" text, value jsonb)
    where jsonb_typeof(a.value) in ('string', 'number', 'boolean')
  )
$function$;
