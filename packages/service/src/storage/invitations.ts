import type { InvitationStatus, MailLanguage } from '@badge/protocol';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import { CLAIM_OF_LINK } from './claim-links.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import { PERSON_OF_INVITATION } from './recipients.ts';
import { mayStillWrite } from './rights.ts';
import { VALID_UNTIL } from './validity.ts';

/** How long the address is kept after the invitation has ended. The name stays in the list of recipients. */
export const ADDRESS_KEPT_FOR = sql.lit('90 days');

/**
 * An invitation to insert. It has a link or an entry, unless the person has unsubscribed, and gets no mail.
 */
export interface NewInvitation {
  invitationId: string;
  mailId: string;
  /** The row of the person in `recipients`. */
  recipientId: string;
  emailHash: Buffer;
  mailboxHash: Buffer;
  language: MailLanguage;
  /** The link, with its encrypted code. */
  link: { claimLinkId: string; code: Buffer } | null;
  /** The allowlist entry that the mail is for: the address of a wallet. */
  contributorKey: Address | null;
  isUnsubscribed: boolean;
}

/**
 * Inserts the invitations of one request, and an audit log entry. Returns false, and inserts nothing, if the
 * actor has lost its right.
 */
export async function insertInvitations(
  tx: DatabaseTransaction,
  actor: Actor,
  request: {
    invitationRequestId: string;
    tokenId: number;
    message: string | null;
    timeZone: string | null;
    /** Null: at once. */
    sendAt: Date | null;
    publicUrl: string;
    invitations: NewInvitation[];
  },
): Promise<boolean> {
  const { invitationRequestId, tokenId, message, timeZone, sendAt, publicUrl, invitations } = request;
  const { rows } = await sql`
    with written as materialized (
      select token_id, community_id from tokens
      where token_id = ${tokenId} and ${mayStillWrite(actor, sql.ref('community_id'))}
    ), shared as (
      insert into invitation_requests (invitation_request_id, message, time_zone, public_url)
      select ${invitationRequestId}::uuid, ${message}::text, ${timeZone}::text, ${publicUrl}::text from written
    ), inserted as (
      insert into invitations
        (invitation_id, invitation_request_id, community_id, token_id, recipient_id, email_hash, language, claim_link_id, code,
         mail_id, state, send_at, next_attempt_at, erase_at, mailbox_hash, contributor_key, created_by, created_by_key)
      select i.invitation_id, ${invitationRequestId}::uuid, w.community_id, w.token_id, i.recipient_id, i.email_hash, i.language,
             i.claim_link_id, i.code, i.mail_id, case when i.is_unsubscribed then 'unsubscribed' else 'queued' end,
             ${sendAt}::timestamptz, case when not i.is_unsubscribed then greatest(now(), ${sendAt}::timestamptz) end,
             case when i.is_unsubscribed then now() + interval ${ADDRESS_KEPT_FOR} end,
             i.mailbox_hash, i.contributor_key, ${creatorOf(actor)}, ${actor.apiKeyId}::uuid
      from written w cross join unnest(
        ${invitations.map((one) => one.invitationId)}::uuid[],
        ${invitations.map((one) => one.recipientId)}::uuid[],
        ${invitations.map((one) => one.emailHash)}::bytea[],
        ${invitations.map((one) => one.language)}::text[],
        ${invitations.map((one) => one.link?.claimLinkId ?? null)}::uuid[],
        ${invitations.map((one) => one.link?.code ?? null)}::bytea[],
        ${invitations.map((one) => one.mailId)}::uuid[],
        ${invitations.map((one) => one.mailboxHash)}::bytea[],
        ${invitations.map((one) => one.contributorKey)}::bytea[],
        ${invitations.map((one) => one.isUnsubscribed)}::boolean[]
      ) with ordinality as i
        (invitation_id, recipient_id, email_hash, language, claim_link_id, code, mail_id, mailbox_hash, contributor_key,
         is_unsubscribed, position)
      order by i.position
    ), recorded as ${insertAuditEntries(actor, 'createInvitations')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * SQL: the member who queues a mail: the one of the session, or the one to whom the API key belongs. Null:
 * nobody whose right could end.
 */
export function creatorOf({ session, apiKeyId }: Actor): RawBuilder<Buffer | null> {
  return sql`coalesce(
    ${session?.address ?? null}::bytea, (select k.created_by from api_keys k where k.api_key_id = ${apiKeyId}::uuid)
  )`;
}

/** SQL: whether the community has caused the mail of the invitation `i`, and not somebody outside of it. */
export const IS_BY_COMMUNITY = sql<boolean>`(i.kind not in ('confirmation', 'reservation'))`;

/** SQL: whether the invitation `i` is a reminder. */
export const IS_REMINDER = sql<boolean>`(i.kind in ('reminder', 'expiryReminder'))`;

/** SQL: whether the mailbox of the invitation `i` wants no mails of the community. */
export const IS_UNSUBSCRIBED = sql<boolean>`exists (
  select from mail_unsubscriptions u
  where u.email_hash in (i.email_hash, i.mailbox_hash) and u.community_id in ('', i.community_id)
)`;

/**
 * SQL: joins to the invitation `i` its link `l`, the claim `m` of this link, and the claim `e` of its entry.
 */
export const CLAIM_OF_INVITATION = sql`
  left join claim_links l on l.claim_link_id = i.claim_link_id ${CLAIM_OF_LINK}
  left join lateral (
    select address from claims where token_id = i.token_id and address = i.contributor_key limit 1
  ) e on true`;

/** SQL: whether the mail of the invitation `i` waits for its time. */
export const IS_SCHEDULED = sql<boolean>`(
  i.state = 'queued' and i.attempts = 0 and coalesce(i.send_at > now(), false)
)`;

/** SQL: the status of the invitation `i` with its link and its claim. */
const STATUS = sql<InvitationStatus>`(
  case when i.revoked_at is not null or l.revoked_at is not null then 'revoked'
       when m.address is not null or e.address is not null then 'claimed'
       when ${IS_UNSUBSCRIBED} then 'unsubscribed'
       when ${IS_SCHEDULED} then 'scheduled'
       else i.state end
)`;

export interface InvitationRow {
  invitation_id: string;
  kind: 'invitation' | 'reservation';
  token_id: number;
  community_id: string;
  /** For which the name and the e-mail are encrypted. Null after the row of the person was deleted. */
  person_key: Buffer | null;
  /** Encrypted, as the e-mail is. */
  name: Buffer | null;
  /** Null after it was erased. */
  email: Buffer | null;
  email_hash: Buffer | null;
  /** Null after it was erased. */
  mailbox_hash: Buffer | null;
  language: MailLanguage;
  status: InvitationStatus;
  error: string | null;
  claim_link_id: string | null;
  /** The address of a wallet, if the mail is for its entry. */
  contributor_key: Buffer | null;
  mail_id: string;
  created_at: Date;
  send_at: Date | null;
  sent_at: Date | null;
  expires_at: Date | null;
  is_expired: SqlBool;
}

/** SQL: the columns of an invitation. */
const INVITATION = sql`i.invitation_id, i.kind, i.token_id, i.community_id, p.person_key, p.name, p.email, i.email_hash, i.mailbox_hash, i.language,
  ${STATUS} as status, case when ${STATUS} in ('queued', 'failed') then i.error end as error, i.claim_link_id, i.contributor_key, i.mail_id,
  i.created_at, i.send_at, i.sent_at, l.expires_at, coalesce(l.expires_at <= now(), false) as is_expired`;

/**
 * A page of a token's invitations, in the order of creation. A page that is filtered by status, or at a large
 * offset, fails with a statement timeout if it takes longer than 1 second.
 */
export async function listInvitations(
  db: Database,
  tokenId: number,
  page: { limit: number; offset: number; status: InvitationStatus | undefined },
): Promise<InvitationRow[]> {
  const { status } = page;
  // The comparison of whole rows makes PostgreSQL read the invitations in the order of their index.
  const filter = status === undefined ? sql`` : sql`and ${STATUS} = ${status}`;
  const listed = sql`
    select i.* from invitations i ${status === undefined ? sql`` : CLAIM_OF_INVITATION}
    where (i.token_id, i.sequence) >= (${tokenId}, 0) and (i.token_id, i.sequence) < (${tokenId + 1}, 0)
      and i.kind = 'invitation' ${filter}
    order by i.token_id, i.sequence
    limit ${hiddenFromPlanner(page.limit)} offset ${hiddenFromPlanner(page.offset)}`;
  const query = sql<InvitationRow>`
    select ${INVITATION} from (${listed}) i ${CLAIM_OF_INVITATION} ${PERSON_OF_INVITATION} order by i.sequence`;
  const { rows } = await readWithTimeout(db, isFarFromStart(page) || status !== undefined, (tx) =>
    query.execute(tx),
  );
  return rows;
}

/** The token's invitations with these ids, in this order. Unknown ids are left out. */
export async function findInvitations(
  db: Database,
  { tokenId, invitationIds }: { tokenId: number; invitationIds: string[] },
): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`
    select ${INVITATION} from unnest(${invitationIds}::uuid[]) with ordinality as wanted (invitation_id, position)
    join invitations i using (invitation_id) ${CLAIM_OF_INVITATION} ${PERSON_OF_INVITATION}
    where i.token_id = ${tokenId} and i.kind = 'invitation'
    order by wanted.position`.execute(db);
  return rows;
}

/**
 * The newest invitation or reservation of the token for each of the hashed addresses. Left out are those
 * that are revoked, whose link has ended, or that have no link because the person had unsubscribed, which is
 * undone.
 */
export async function findInvitationsByEmail(
  tx: Database,
  { tokenId, emailHashes }: { tokenId: number; emailHashes: Buffer[] },
): Promise<(InvitationRow & { email_hash: Buffer })[]> {
  const { rows } = await sql<InvitationRow & { email_hash: Buffer }>`
    select ${INVITATION} from unnest(${emailHashes}::bytea[]) as wanted (email_hash)
    cross join lateral (
      select i.* from invitations i
      where i.email_hash = wanted.email_hash and i.token_id = ${tokenId} and i.kind in ('invitation', 'reservation')
      order by i.sequence desc limit 1
    ) i ${CLAIM_OF_INVITATION} ${PERSON_OF_INVITATION}
    where ${STATUS} <> 'revoked' and (i.state <> 'unsubscribed' or ${IS_UNSUBSCRIBED}) and (${STATUS} = 'claimed' or not coalesce(l.expires_at <= now(), false))`.execute(
    tx,
  );
  return rows;
}

/**
 * Which of the mailboxes have got an invitation or a reservation of the token, or will get one. Revoked ones
 * count too.
 */
export async function findInvitedMailboxes(
  tx: DatabaseTransaction,
  { tokenId, mailboxHashes }: { tokenId: number; mailboxHashes: Buffer[] },
): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select wanted.hash from unnest(${mailboxHashes}::bytea[]) as wanted (hash)
    where exists (
      select from invitations i where i.mailbox_hash = wanted.hash and i.token_id = ${tokenId}
        and (i.claim_link_id is not null or (i.contributor_key is not null and i.state <> 'unsubscribed'))
    )`.execute(tx);
  return rows.map((row) => row.hash);
}

/**
 * Those of the entries with an invitation of the token that is queued or sent, and holds. Its e-mail is not
 * erased.
 */
export async function findInvitedEntries(
  tx: DatabaseTransaction,
  { tokenId, contributorKeys }: { tokenId: number; contributorKeys: Address[] },
): Promise<Buffer[]> {
  const { rows } = await sql<{ contributor_key: Buffer }>`
    select contributor_key from invitations
    where token_id = ${tokenId} and contributor_key = any(${contributorKeys}::bytea[]) and kind = 'invitation'
      and state in ('queued', 'sent') and revoked_at is null and email_hash is not null`.execute(tx);
  return rows.map((row) => row.contributor_key);
}

/**
 * Makes reservations of persons whom an organiser has invited meanwhile invitations, so that the list shows
 * them.
 */
export async function adoptReservations(tx: DatabaseTransaction, invitationIds: string[]): Promise<void> {
  await sql`
    update invitations set kind = 'invitation'
    where invitation_id = any(${invitationIds}::uuid[]) and kind = 'reservation'`.execute(tx);
}

/**
 * Queues another mail of an invitation, with another link if it has one, and inserts an audit log entry.
 * Returns false, and changes nothing, if the actor has lost its right. The caller must have locked the token.
 */
export async function requeueInvitation(
  tx: DatabaseTransaction,
  actor: Actor,
  mail: { invitationId: string; mailId: string; claimLinkId: string | null; code: Buffer | null },
): Promise<boolean> {
  // If the person asks for the mail, it still ends with the right of the member who has invited.
  const isAskedFor = actor.kind === 'service' || actor.kind === 'claimCode';
  const creator = isAskedFor
    ? sql``
    : sql`, created_by = ${creatorOf(actor)}, created_by_key = ${actor.apiKeyId}::uuid`;
  const { rows } = await sql`
    with written as (
      update invitations set
        claim_link_id = ${mail.claimLinkId}::uuid, code = ${mail.code}::bytea, mail_id = ${mail.mailId}::uuid,
        state = 'queued', error = null, attempts = 0, first_attempt_at = null, send_at = null, next_attempt_at = now(), erase_at = null${creator}
      where invitation_id = ${mail.invitationId}::uuid and ${mayStillWrite(actor, sql.ref('community_id'))}
      returning invitation_id, community_id
    ), recorded as ${insertAuditEntries(actor, 'resendInvitation')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * Moves the time of an invitation that waits for it, and inserts an audit log entry. Null: it is sent at
 * once.
 * Returns false, and changes nothing, if it does not wait any more, or if the actor has lost its right.
 */
export async function moveInvitation(
  tx: DatabaseTransaction,
  actor: Actor,
  { invitationId, sendAt }: { invitationId: string; sendAt: Date | null },
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      update invitations i set
        send_at = ${sendAt}::timestamptz, next_attempt_at = greatest(now(), ${sendAt}::timestamptz)
      where i.invitation_id = ${invitationId}::uuid and i.next_attempt_at is not null and ${IS_SCHEDULED}
        and ${mayStillWrite(actor, sql.ref('i.community_id'))}
      returning i.invitation_id, i.community_id
    ), recorded as ${insertAuditEntries(actor, 'updateInvitation')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * Revokes an invitation, but not its link, and inserts an audit log entry. Returns false, and changes
 * nothing, if the invitation is revoked already, or if the actor has lost its right.
 */
export async function revokeInvitation(
  tx: DatabaseTransaction,
  actor: Actor,
  invitationId: string,
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      update invitations set
        revoked_at = now(), code = null, next_attempt_at = null, erase_at = now() + interval ${ADDRESS_KEPT_FOR}
      where invitation_id = ${invitationId}::uuid and revoked_at is null
        and ${mayStillWrite(actor, sql.ref('community_id'))}
      returning invitation_id, community_id
    ), recorded as ${insertAuditEntries(actor, 'revokeInvitation')}
    select from written`.execute(tx);
  return rows.length > 0;
}

const MAX_ERASED = 1_000;

/**
 * Erases the addresses whose time is over, up to 1,000. If the community reminds people before their badges
 * end, keeps those of people whose badge ends later, until then. Returns whether there may be more.
 */
export async function eraseAddresses(db: Database): Promise<boolean> {
  // Somebody who was invited again has another invitation, which still needs the address.
  const { rows } = await sql<{ due: number }>`
    with due as materialized (
      select invitation_id, recipient_id, community_id from invitations
      where email_hash is not null and erase_at <= now()
      order by erase_at limit ${MAX_ERASED} for update skip locked
    ), needed as materialized (
      select d.invitation_id, ${VALID_UNTIL} as until
      from due d
      join communities m on m.community_id = d.community_id and cardinality(m.remind_before_expiry) > 0
      join recipients r on r.recipient_id = d.recipient_id
      join claims c on c.token_id = r.token_id and c.address = r.address
      where c.burnt_at is null and ${VALID_UNTIL} > now()
    ), kept as (
      update invitations i set erase_at = n.until from needed n where i.invitation_id = n.invitation_id
    ), erased as (
      update invitations i set email_hash = null, mailbox_hash = null, code = null, next_attempt_at = null
      from due d
      where i.invitation_id = d.invitation_id and d.invitation_id not in (select invitation_id from needed)
      returning i.invitation_id, i.recipient_id
    ), addresses as (
      -- Whoever has claimed with the e-mail keeps the badge with it.
      update recipients r set email = null, email_hash = null from erased e
      where r.recipient_id = e.recipient_id and r.invitation_id = e.invitation_id and not exists (
        select from kept_addresses k where k.address = r.address and k.email_hash = r.email_hash
      )
    )
    select count(*) as due from due`.execute(db);
  return (rows[0]?.due ?? 0) >= MAX_ERASED;
}
