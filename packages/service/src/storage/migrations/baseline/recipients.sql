-- The people of each token: one row for a person, whichever way the token was given. A row names the
-- allowlist entry, the link, the mail and the address of a person. What has become of them is stored there
-- only, so no status can be wrong here.
create table recipients (
  recipient_id uuid primary key default gen_random_uuid(),
  -- The order in which people were added.
  sequence bigint generated always as identity,
  token_id bigint not null,
  -- The allowlist entry of the person. Somebody without an entry: the address that got the token, or random
  -- bytes.
  contributor_key bytea not null check (octet_length(contributor_key) in (20, 32)),
  -- How the token was first given to the person.
  way text not null check (way in ('list', 'link', 'invitation', 'reservation', 'room', 'open', 'airdrop', 'import')),
  -- Who can claim the token, has it, or has had it. Null: not known yet.
  address bytea check (octet_length(address) = 20),
  -- As in allowlist_entries; null for the entry of a link.
  identifier text,
  claim_link_id uuid,
  -- The newest invitation or reservation.
  invitation_id uuid,
  -- Personal, and nowhere else: each is encrypted, for this contributor_key, with a key outside of the
  -- database.
  name bytea,
  email bytea,
  note bytea,
  -- The keyed hash of the e-mail, by which somebody who has proven it is found.
  email_hash bytea check (octet_length(email_hash) = 32),
  added_at timestamptz(3) not null,
  -- The address of somebody whose token was moved to another one. The person has another row.
  is_former boolean not null default false,
  -- The person was removed, and is in no list. Only the invitation still shows the name and the e-mail, until
  -- the row is deleted.
  removed_at timestamptz(3),
  constraint recipients_by_entry unique (token_id, contributor_key),
  constraint recipients_email_hash check ((email_hash is null) = (email is null)),
  constraint recipients_former check (not is_former or num_nonnulls(name, email, note) = 0)
);
create index recipients_in_order on recipients (token_id, sequence) where removed_at is null;
create index recipients_by_address on recipients (token_id, address) where address is not null;
create index recipients_by_email on recipients (token_id, email_hash) where email_hash is not null;
-- Imported people of whom only a hash of the e-mail is known: `sha256$` or `md5$`, the hash, `$` and the
-- salt.
create index recipients_hashed on recipients (token_id)
  where way = 'import' and split_part(identifier, '$', 1) in ('sha256', 'md5');
create index recipients_removed on recipients (removed_at) where removed_at is not null;
