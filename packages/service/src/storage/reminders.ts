import type { MailLanguage, ReminderKind, SkipReason } from '@badge/protocol';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { creatorOf, IS_REMINDER } from './invitations.ts';
import { mayStillWrite } from './rights.ts';
import { VALID_UNTIL } from './validity.ts';

// A reminder is a mail among those of invitations, so it has their share, their turns and their attempts.

/** How long nobody is reminded after an invitation or a reminder. */
const PAUSE = sql.lit('3 days');
// Settings are in days, so a minute does not matter.
const SHORTEST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 3_600;

/** How many reminders a person gets about a claim, and about each end of a badge. */
const MAX_REMINDERS = 3;

const OF_PERSON = sql`from invitations i where i.recipient_id = r.recipient_id and ${IS_REMINDER}`;

// SQL: whether another mail reminds the recipient `r`, or has reminded it in the last three days.
const IS_REMINDED = sql`exists (
  select ${OF_PERSON} and (i.next_attempt_at is not null or i.sent_at > now() - interval ${PAUSE})
)`;

// SQL: whether nobody can claim the token `t` any more.
const IS_OVER = sql`coalesce(
  t.expiration_timestamp <= extract(epoch from now()) * 1000 or t.remaining_claim_count = 0, false
)`;

/**
 * SQL: joins to the mail `i`, if it is a reminder, whether it is needed now. What has happened since it was
 * queued counts: a claim, a revocation, a renewal, another mail.
 */
export const NEED_OF_REMINDER = sql`
  left join lateral (
    select o.sent_at as invited_at, c.address as owner, case i.kind
      when 'reminder' then c.address is null and not ${IS_OVER} and o.revoked_at is null and o.state = 'sent'
        and o.sent_at <= now() - interval ${PAUSE}
      else c.burnt_at is null and ${VALID_UNTIL} = i.valid_until and i.valid_until > now() end
      and r.removed_at is null and r.email is not null and not exists (
        select from invitations other
        where other.recipient_id = r.recipient_id and other.kind in ('reminder', 'expiryReminder')
          and other.invitation_id <> i.invitation_id and other.sent_at > now() - interval ${PAUSE}
      ) as is_needed
    from recipients r
    join tokens t on t.token_id = r.token_id
    left join invitations o on o.invitation_id = r.invitation_id
    left join claims c on c.token_id = r.token_id and c.address = r.address
    where r.recipient_id = i.recipient_id and ${IS_REMINDER} limit 1
  ) o on true`;

/** Somebody who could be reminded, and why not. */
export interface Remindable {
  recipient_id: string;
  sequence: number;
  contributor_key: Buffer;
  /** Encrypted for the contributor key. */
  email: Buffer | null;
  /** Of the invitation; null if the person has none. */
  language: MailLanguage | null;
  /** The link of the invitation. Null if it has none. */
  claim_link_id: string | null;
  /** Whether the person has the badge already, so that it needs no link. */
  is_owner: SqlBool;
  /** When what the person has ends. */
  valid_until: Date | null;
  /** Null: the person can be reminded, unless it wants no mails. */
  reason: SkipReason | null;
}

const REASONS: Record<ReminderKind, RawBuilder<SkipReason | null>> = {
  claim: sql`case
    when c.address is not null then 'claimed'
    when i.state = 'unsubscribed' then 'unsubscribed'
    when i.invitation_id is null or (i.state <> 'sent' and i.revoked_at is null) then 'notSent'
    when i.revoked_at is not null or ${IS_OVER} or l.revoked_at is not null or l.expires_at <= now() then 'ended'`,
  expiry: sql`case
    when c.address is null or c.burnt_at is not null or (${VALID_UNTIL} > now()) is not true then 'ended'`,
};

/**
 * Reads people of a token, in the order in which they were added: those with these ids, or up to `limit`
 * after a sequence number. The token must be locked.
 */
export async function findRemindable(
  tx: DatabaseTransaction,
  {
    tokenId,
    kind,
    ...page
  }: { tokenId: number; kind: ReminderKind } & (
    | { recipientIds: string[] }
    | { after: number; limit: number }
  ),
): Promise<Remindable[]> {
  const chosen =
    'recipientIds' in page
      ? sql`select * from recipients where recipient_id = any(${page.recipientIds}::uuid[])`
      : sql`
        select * from recipients where token_id = ${tokenId} and sequence > ${page.after}
        order by token_id, sequence limit ${page.limit}`;
  const sameEnd = kind === 'expiry' ? sql`and i.valid_until = ${VALID_UNTIL}` : sql``;
  const mailKind = toMailKind(kind);
  const { rows } = await sql<Remindable>`
    select r.recipient_id, r.sequence, r.contributor_key, r.email, i.language, i.claim_link_id,
      c.address is not null as is_owner, ${VALID_UNTIL} as valid_until, ${REASONS[kind]}
        when r.email is null then 'noEmail'
        when (
          select count(*) ${OF_PERSON} and i.kind = ${mailKind} and i.sent_at is not null ${sameEnd}
        ) >= ${MAX_REMINDERS} then 'remindedThreeTimes'
        when ${IS_REMINDED} or i.sent_at > now() - interval ${PAUSE} or (i.next_attempt_at is not null) then 'remindedRecently'
      end as reason
    from (${chosen}) r
    join tokens t on t.token_id = r.token_id
    left join claims c on c.token_id = r.token_id and c.address = r.address
    left join invitations i on i.invitation_id = r.invitation_id
    left join claim_links l on l.claim_link_id = i.claim_link_id
    where r.token_id = ${tokenId} and r.removed_at is null and not r.is_former
    order by r.sequence`.execute(tx);
  return rows;
}

const toMailKind = (kind: ReminderKind) => (kind === 'claim' ? 'reminder' : 'expiryReminder');

/** A reminder to insert. */
export interface NewReminder {
  recipientId: string;
  reminderId: string;
  mailId: string;
  emailHash: Buffer;
  mailboxHash: Buffer;
  language: MailLanguage;
  validUntil: Date | null;
  /** The further link, with its encrypted code; null if the mail has none. */
  link: { claimLinkId: string; furtherOf: string; code: Buffer; codeHash: Buffer } | null;
}

/**
 * Queues reminders, with a further link to the same entry if the invitation has one, and inserts an audit log
 * entry. Returns false, and inserts nothing, if the actor has lost its right. The token must be locked.
 */
export async function insertReminders(
  tx: DatabaseTransaction,
  actor: Actor,
  {
    tokenId,
    kind,
    days,
    publicUrl,
    reminders,
  }: {
    tokenId: number;
    kind: ReminderKind;
    /** Of the setting that asks for them; null if somebody does. */
    days: number | null;
    publicUrl: string;
    reminders: NewReminder[];
  },
): Promise<boolean> {
  const links = reminders.map(({ link }) => link);
  const { rows } = await sql`
    with written as materialized (
      select token_id, community_id from tokens
      where token_id = ${tokenId} and ${mayStillWrite(actor, sql.ref('community_id'))}
    ), given as materialized (
      select w.token_id, w.community_id, g.*, r.invitation_id as origin_id from written w cross join unnest(
        ${reminders.map((one) => one.recipientId)}::uuid[],
        ${reminders.map((one) => one.reminderId)}::uuid[],
        ${reminders.map((one) => one.mailId)}::uuid[],
        ${reminders.map((one) => one.emailHash)}::bytea[],
        ${reminders.map((one) => one.mailboxHash)}::bytea[],
        ${reminders.map((one) => one.language)}::text[],
        ${reminders.map((one) => one.validUntil)}::timestamptz[],
        ${links.map((link) => link?.claimLinkId ?? null)}::uuid[],
        ${links.map((link) => link?.furtherOf ?? null)}::uuid[],
        ${links.map((link) => link?.code ?? null)}::bytea[],
        ${links.map((link) => link?.codeHash ?? null)}::bytea[]
      ) with ordinality as g
        (recipient_id, reminder_id, mail_id, email_hash, mailbox_hash, language, valid_until, claim_link_id, further_of,
         code, code_hash, position)
      join recipients r using (recipient_id)
    ), links as (
      insert into claim_links
        (claim_link_id, token_id, contributor_key, identifier, code_hash, claim_link_signature_id, expires_at,
         is_signature_required, further_of)
      select g.claim_link_id, l.token_id, l.contributor_key, l.identifier, g.code_hash, l.claim_link_signature_id,
             l.expires_at, l.is_signature_required, l.claim_link_id
      from given g join claim_links l on l.claim_link_id = g.further_of
      order by g.position
      returning claim_link_id
    ), counted as (
      update communities c set claim_link_count = claim_link_count + n.links
      from (select count(*) as links from links) n
      where c.community_id in (select community_id from written) and n.links > 0
    ), request as (
      insert into invitation_requests (invitation_request_id, public_url)
      select gen_random_uuid(), ${publicUrl}::text from written
      returning invitation_request_id
    ), inserted as (
      insert into invitations
        (invitation_id, invitation_request_id, community_id, token_id, kind, recipient_id, email_hash, mailbox_hash,
         language, claim_link_id, code, contributor_key, mail_id, state, next_attempt_at, created_by, created_by_key,
         reminder_days, valid_until)
      select g.reminder_id,
             case when ${kind} = 'claim' then o.invitation_request_id else q.invitation_request_id end,
             g.community_id, g.token_id, ${toMailKind(kind)}, g.recipient_id, g.email_hash, g.mailbox_hash, g.language,
             g.claim_link_id, g.code, case when ${kind} = 'claim' then o.contributor_key end, g.mail_id, 'queued', now(),
             ${creatorOf(actor)}, ${actor.apiKeyId}::uuid, ${days}::integer, g.valid_until
      from given g cross join request q left join invitations o on o.invitation_id = g.origin_id
      order by g.position
    ), recorded as ${insertAuditEntries(actor, 'createReminders')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/** Revokes the link of a reminder that is not sent, so that nobody knows its code. */
export async function revokeFurtherLink(tx: DatabaseTransaction, claimLinkId: string): Promise<void> {
  await sql`
    update claim_links set revoked_at = coalesce(revoked_at, statement_timestamp())
    where claim_link_id = ${claimLinkId}::uuid and further_of is not null`.execute(tx);
}

/** Lets the settings of a community remind people from now on, or no more. */
export async function setAutomaticReminders(
  tx: DatabaseTransaction,
  { communityId, isOn }: { communityId: string; isOn: boolean },
): Promise<void> {
  await (isOn
    ? sql`
      insert into mail_turns as t (community_id, next_attempt_at, reminded_until) values (${communityId}, now(), now())
      on conflict (community_id) do update set
        next_attempt_at = now(), reminded_until = coalesce(t.reminded_until, now())`
    : sql`update mail_turns set reminded_until = null where community_id = ${communityId}`
  ).execute(tx);
}

/** A person whom a setting of the community reminds now. */
export interface DueReminder {
  token_id: number;
  recipient_id: string;
  kind: ReminderKind;
  days: number;
  due_at: Date;
}

// SQL: whom the settings of a community remind, after `after` and until `until`. A badge ends at the time of
// its token, so many days after its claim, or at the time of its renewal. Each has an index.
function selectDue(
  communityId: string,
  { after, until }: { after: RawBuilder<unknown>; until: RawBuilder<unknown> },
): RawBuilder<DueReminder> {
  const isDue = (time: RawBuilder<unknown>) => sql`(
    ${time} > ${after} + d.days * interval '24 hours' and ${time} <= ${until} + d.days * interval '24 hours'
  )`;
  const validity = sql`t.validity_days * interval '24 hours'`;
  const ending = (end: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
    select c.token_id, r.recipient_id, 'expiry', d.days, ${end} - d.days * interval '24 hours'
    from communities m cross join unnest(m.remind_before_expiry) as d (days)
    join tokens t on t.community_id = m.community_id and t.replaced_by_token_id is null
    join claims c on c.token_id = t.token_id and c.burnt_at is null and ${condition}
    join recipients r on r.token_id = c.token_id and r.address = c.address and not r.is_former
      and r.email is not null and r.removed_at is null
    where m.community_id = ${communityId}`;
  return sql<DueReminder>`
    select i.token_id, i.recipient_id, 'claim' as kind, d.days, i.sent_at + d.days * interval '24 hours' as due_at
    from communities m cross join unnest(m.remind_unclaimed_after) as d (days)
    join invitations i on i.community_id = m.community_id and i.state = 'sent' and i.kind in ('invitation', 'reservation')
      and i.sent_at > ${after} - d.days * interval '24 hours' and i.sent_at <= ${until} - d.days * interval '24 hours'
    where m.community_id = ${communityId}
    union all ${ending(sql`t.valid_until`, sql`c.renewed_until is null and ${isDue(sql`t.valid_until`)}`)}
    union all ${ending(
      sql`c.claimed_at + ${validity}`,
      sql`t.validity_days is not null and c.renewed_until is null
        and c.claimed_at > ${after} + d.days * interval '24 hours' - ${validity}
        and c.claimed_at <= ${until} + d.days * interval '24 hours' - ${validity}`,
    )}
    union all ${ending(sql`c.renewed_until`, sql`c.renewed_until is not null and ${isDue(sql`c.renewed_until`)}`)}`;
}

/**
 * Whom the settings of a community remind now, up to `limit`, in the order of time, and until when these are
 * all. Null: it has no such setting, or somebody has looked less than a minute ago.
 */
export async function findDueReminders(
  db: Database,
  communityId: string,
  limit: number,
): Promise<{ until: Date; due: DueReminder[] } | null> {
  const { rows } = await sql<{ after: Date; until: Date }>`
    select reminded_until as after, now() as until from mail_turns
    where community_id = ${communityId}
      and reminded_until <= now() - make_interval(secs => ${SHORTEST_PAUSE_SECONDS})`.execute(db);
  const [turn] = rows;
  if (turn === undefined) return null;
  const period = { after: sql`${turn.after}::timestamptz`, until: sql`${turn.until}::timestamptz` };
  const { rows: due } = await sql<DueReminder>`
    select * from (${selectDue(communityId, period)}) as due order by due_at limit ${limit}`.execute(db);
  const last = due.length < limit ? undefined : due.at(-1);
  return { until: last?.due_at ?? turn.until, due };
}

/** Notes that all were reminded who were to be until a time. */
export async function noteReminded(
  db: Database,
  { communityId, until }: { communityId: string; until: Date },
): Promise<void> {
  await sql`
    update mail_turns set reminded_until = greatest(reminded_until, ${until}::timestamptz)
    where community_id = ${communityId} and reminded_until is not null`.execute(db);
}

/**
 * In how many seconds the settings of the community remind somebody, from a minute to an hour; null if it has
 * none.
 */
export async function findNextReminderDelay(
  tx: DatabaseTransaction,
  communityId: string,
): Promise<number | null> {
  const until = sql`(now() + make_interval(secs => ${LONGEST_PAUSE_SECONDS}))`;
  const due = selectDue(communityId, { after: sql`w.reminded_until`, until });
  const { rows } = await sql<{ seconds: number }>`
    select least(${LONGEST_PAUSE_SECONDS}, greatest(${SHORTEST_PAUSE_SECONDS}, extract(epoch from (
      select min(due_at) from (${due}) as due
    ) - now())))::double precision as seconds
    from mail_turns w where w.community_id = ${communityId} and w.reminded_until is not null`.execute(tx);
  return rows[0]?.seconds ?? null;
}
