import type { MailLanguage } from '@badge/protocol';
import { type SqlBool, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';

// Longer than an attempt may take. After a crash, the mail is tried again when this is over.
const LEASE = sql.lit('1 minute');
const USEFUL_FOR = sql.lit('1 hour');

/** A mail with which the owner of an address undoes an unsubscription. */
export interface ResubscriptionMail {
  mail_id: string;
  /** Encrypted. */
  recipient: Buffer;
  language: MailLanguage;
  public_url: string;
  requested_at: Date;
  /** Whether it counts in the limit of its mailbox. */
  is_counted: boolean;
  /** Whether it was asked for more than an hour ago. */
  is_late: SqlBool;
}

export async function insertResubscriptionMail(
  tx: DatabaseTransaction,
  mail: { mailId: string; communityId: string; recipient: Buffer; language: MailLanguage; publicUrl: string },
): Promise<void> {
  await sql`
    insert into resubscription_mails (mail_id, community_id, recipient, language, public_url)
    values (${mail.mailId}, ${mail.communityId}, ${mail.recipient}, ${mail.language}, ${mail.publicUrl})`.execute(
    tx,
  );
}

/** Takes the next due mail of a community for a minute; undefined if there is none. */
export async function leaseResubscriptionMail(
  db: Database,
  communityId: string,
): Promise<ResubscriptionMail | undefined> {
  const { rows } = await sql<ResubscriptionMail>`
    with due as materialized (
      select mail_id from resubscription_mails where community_id = ${communityId} and next_attempt_at <= now()
      order by next_attempt_at limit 1 for no key update skip locked
    )
    update resubscription_mails m set next_attempt_at = now() + interval ${LEASE} from due
    where m.mail_id = due.mail_id
    returning m.mail_id, m.recipient, m.language, m.public_url, m.requested_at, m.is_counted,
      m.requested_at < now() - interval ${USEFUL_FOR} as is_late`.execute(db);
  return rows[0];
}

/** Tries a mail again later. It is not counted again. */
export async function postponeResubscriptionMail(
  tx: DatabaseTransaction,
  mailId: string,
  delaySeconds: number,
): Promise<void> {
  await sql`
    update resubscription_mails set is_counted = true, next_attempt_at = now() + make_interval(secs => ${delaySeconds})
    where mail_id = ${mailId}`.execute(tx);
}

export async function deleteResubscriptionMail(db: Database, mailId: string): Promise<void> {
  await sql`delete from resubscription_mails where mail_id = ${mailId}`.execute(db);
}
