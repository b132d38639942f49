-- Invitations, reservations and their mails, and how many mails a mailbox and a community get. Addresses and
-- names are encrypted with a key outside of the database, and hashes of addresses are keyed with it.

-- What the invitations of one request share.
create table invitation_requests (
  invitation_request_id uuid primary key,
  message text,
  -- Where the pages are, because a worker may not know it.
  public_url text not null,
  -- In which the mails write times. Null: UTC.
  time_zone text
);

create table invitations (
  invitation_id uuid primary key,
  sequence bigint generated always as identity,
  invitation_request_id uuid not null references invitation_requests,
  community_id text not null,
  token_id bigint not null,
  -- invitation: an organiser has invited the person. confirmation: somebody has entered the address with the
  -- code of the link source_link_id, and the mail asks for a confirmation. reservation: the address is
  -- confirmed, and the mail has the link that was made for it. reminder: the mail reminds somebody who has
  -- got one of the others, and has a further link. expiryReminder: the mail tells an owner when the badge
  -- ends.
  kind text not null default 'invitation'
  check (kind in ('invitation', 'confirmation', 'reservation', 'reminder', 'expiryReminder')),
  -- The person, whose row has the address and the name. Null for a confirmation: the person has no row yet.
  recipient_id uuid,
  -- Personal: the address of a confirmation, encrypted.
  unconfirmed_email bytea,
  -- Keyed hashes of the address, and of the mailbox, which other spellings of the address have too. Erased
  -- after erase_at, with the address of the person.
  email_hash bytea check (octet_length(email_hash) = 32),
  mailbox_hash bytea check (octet_length(mailbox_hash) = 32),
  language text not null,
  claim_link_id uuid,
  -- The code of the claim link, encrypted, until the mail is sent.
  code bytea,
  -- The allowlist entry of a wallet that the mail is for, as in claims. Such a mail has neither a link nor a
  -- code. With the e-mail, it says whose wallet it is; after the e-mail is erased, no more than the
  -- allowlist.
  contributor_key bytea check (octet_length(contributor_key) = 20),
  source_link_id uuid,
  -- Finds the code of a confirmation.
  confirmation_hash bytea check (octet_length(confirmation_hash) = 32),
  -- By which a confirmation counts for the client that sent the code of a room, as in claim_link_clients.
  -- Null after the confirmation.
  client_hash bytea check (octet_length(client_hash) = 32),
  -- The member, and the API key, that queued the mail.
  created_by bytea check (octet_length(created_by) = 20),
  created_by_key uuid,
  -- Of a reminder that a setting of the community asked for: after, or before, how many days.
  reminder_days integer,
  -- Of an expiryReminder: the end that it announces.
  valid_until timestamptz(3),
  -- Names the mail, also if it is sent again after a crash. Another mail has another one.
  mail_id uuid not null,
  state text not null check (state in ('queued', 'sent', 'failed', 'unsubscribed')),
  error text,
  attempts integer not null default 0,
  first_attempt_at timestamptz(3),
  -- Until then, the mail of an invitation waits. Null: it was to be sent at once.
  send_at timestamptz(3),
  -- Null if no mail is to be sent. While a process sends the mail: when another one may take over.
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  -- Of the mails that were sent before this one.
  earlier_sent_at timestamptz(3)[] not null default '{}',
  revoked_at timestamptz(3),
  erase_at timestamptz(3),
  check (num_nulls(email_hash, mailbox_hash) in (0, 2)),
  constraint invitations_recipient check ((kind = 'confirmation') = (unconfirmed_email is not null)),
  constraint invitations_queued check (next_attempt_at is null or (
    state = 'queued' and email_hash is not null and (code is not null or contributor_key is not null or kind = 'expiryReminder')
  )),
  constraint invitations_kind check (
    (kind not in ('confirmation', 'reservation') or source_link_id is not null) and (kind <> 'confirmation' or confirmation_hash is not null)
  )
);
create index invitations_by_token on invitations (token_id, sequence);
create index invitations_by_email on invitations (email_hash, token_id) where email_hash is not null;
create index invitations_by_mailbox on invitations (mailbox_hash, token_id) where mailbox_hash is not null;
create index invitations_by_link on invitations (claim_link_id);
create index invitations_by_entry on invitations (token_id, contributor_key) where contributor_key is not null;
create index invitations_by_source on invitations (source_link_id) where kind = 'reservation';
create unique index invitations_by_confirmation on invitations (confirmation_hash) where confirmation_hash is not null;
create index invitations_unconfirmed on invitations (created_at) where kind = 'confirmation';
create index invitations_to_send on invitations (community_id, next_attempt_at, sequence)
where next_attempt_at is not null;
create index invitations_reminders on invitations (recipient_id) where kind in ('reminder', 'expiryReminder');
-- Whom a setting of the community may remind.
create index invitations_to_remind on invitations (community_id, sent_at)
where state = 'sent' and kind in ('invitation', 'reservation');
create index invitations_to_erase on invitations (erase_at) where email_hash is not null;

-- Who wants no mails: of this community, or with an empty community_id of none. The rows stay for ever.
create table mail_unsubscriptions (
  email_hash bytea not null check (octet_length(email_hash) = 32),
  community_id text not null,
  unsubscribed_at timestamptz(3) not null default now(),
  primary key (email_hash, community_id)
);

-- The communities that have mails to send. Each has turns, in which one worker sends them.
create table mail_turns (
  community_id text primary key,
  -- When the next turn is due. Null: nothing waits.
  next_attempt_at timestamptz(3),
  -- Until then, a worker serves the turn.
  leased_until timestamptz(3),
  -- How often in a row the mail server could not be used.
  failures integer not null default 0,
  -- Until then, who was to be reminded by a setting of the community was. Null: it has no such setting.
  reminded_until timestamptz(3)
);
create index mail_turns_due on mail_turns (next_attempt_at) where next_attempt_at is not null;

-- Mails with which the owner of an address undoes that it wants no mails. They are deleted when they are
-- sent, or useless.
create table resubscription_mails (
  mail_id uuid primary key,
  community_id text not null,
  -- Personal: the address, encrypted.
  recipient bytea not null,
  language text not null,
  public_url text not null,
  requested_at timestamptz(3) not null default now(),
  -- Whether it counts in the limit of its mailbox.
  is_counted boolean not null default false,
  -- While a process sends the mail: when another one may take over.
  next_attempt_at timestamptz(3) not null default now()
);
create index resubscription_mails_to_send on resubscription_mails (community_id, next_attempt_at);

-- Requests to sign in by e-mail. Each is a challenge, and a mail with a code. A challenge accepts every code
-- that was mailed to its address. A row is deleted when neither is valid.
create table email_challenges (
  challenge_id uuid primary key,
  -- Personal: the address, encrypted.
  email bytea not null,
  -- Keyed hashes of the address, and of the mailbox, by which its mails are counted.
  email_hash bytea not null check (octet_length(email_hash) = 32),
  mailbox_hash bytea not null check (octet_length(mailbox_hash) = 32),
  -- How many wrong codes were sent with the challenge.
  wrong_codes integer not null default 0,
  created_at timestamptz(3) not null default now(),
  -- Keyed. Null once the code was used.
  code_hash bytea check (octet_length(code_hash) = 32),
  mail_id uuid not null,
  language text not null,
  -- The link in the mail, which has the code, encrypted. Null once the mail is sent, or is not to be sent.
  link bytea,
  -- When a process last began to send the mail. Null: the code was never mailed.
  mailed_at timestamptz(3),
  -- While a process sends the mail: when another one may take over.
  next_attempt_at timestamptz(3) default now(),
  constraint email_challenges_queued check ((link is null) = (next_attempt_at is null))
);
create index email_challenges_by_code on email_challenges (email_hash, code_hash);
create index email_challenges_by_time on email_challenges (created_at);
create index email_challenges_to_send on email_challenges (next_attempt_at) where next_attempt_at is not null;

-- How many mails of each community were given to the mail server in each hour, and how many of them were
-- invitations.
create table mail_counts (
  community_id text not null,
  hour timestamptz(3) not null,
  mails integer not null check (mails >= 0),
  invitations integer not null default 0,
  primary key (community_id, hour)
);

-- The mails to a mailbox that count towards its limits. The rows are deleted after two days. stranger:
-- somebody has entered the address. repeated: a community sends or invites again. signIn: somebody signs in
-- with the address.
create table requested_mails (
  email_hash bytea not null check (octet_length(email_hash) = 32),
  requested_at timestamptz(3) not null default now(),
  kind text not null default 'stranger' check (kind in ('stranger', 'repeated', 'signIn', 'signInMailbox'))
);
create index requested_mails_by_address on requested_mails (email_hash, requested_at);
create index requested_mails_by_time on requested_mails (requested_at);

-- How many mails a client has asked for in an hour. client_hash is keyed.
create table reservation_clients (
  client_hash bytea not null check (octet_length(client_hash) = 32),
  hour timestamptz(3) not null,
  requests integer not null,
  primary key (client_hash, hour)
);
-- How many mails somebody outside of a community has asked for with the code of a link, in the community, and
-- to sign in, in an hour.
create table reservation_counts (
  counted_for text not null,
  hour timestamptz(3) not null,
  requests integer not null,
  primary key (counted_for, hour)
);
