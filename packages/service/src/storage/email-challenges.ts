import type { MailLanguage } from '@badge/protocol';
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';

const VALID_FOR = sql.lit('15 minutes');
// Longer than an attempt may take. After a crash, the mail is tried again when this is over.
const LEASE = sql.lit('1 minute');
const MAX_DELETED = 1_000;

/** Inserts a challenge, whose mail is due at once. Returns when the challenge expires. */
export async function insertEmailChallenge(
  tx: DatabaseTransaction,
  one: {
    challengeId: string;
    /** Encrypted. */
    email: Buffer;
    emailHash: Buffer;
    mailboxHash: Buffer;
    codeHash: Buffer;
    mailId: string;
    language: MailLanguage;
    /** Encrypted. */
    link: Buffer;
  },
): Promise<Date> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into email_challenges
      (challenge_id, email, email_hash, mailbox_hash, code_hash, mail_id, language, link)
    values (${one.challengeId}, ${one.email}, ${one.emailHash}, ${one.mailboxHash}, ${one.codeHash},
            ${one.mailId}, ${one.language}, ${one.link})
    returning created_at + interval ${VALID_FOR} as expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the challenge was not inserted');
  return row.expires_at;
}

/** The address of a challenge, encrypted for the challenge. */
export interface ChallengedEmail {
  email: Buffer;
  email_hash: Buffer;
}

/** Finds a challenge that has not expired, and with which fewer than `maxWrongCodes` were sent. */
export async function findEmailChallenge(
  db: Database,
  { challengeId, maxWrongCodes }: { challengeId: string; maxWrongCodes: number },
): Promise<ChallengedEmail | undefined> {
  const { rows } = await sql<ChallengedEmail>`
    select email, email_hash from email_challenges
    where challenge_id = ${challengeId} and wrong_codes < ${maxWrongCodes}
      and created_at > now() - interval ${VALID_FOR}`.execute(db);
  return rows[0];
}

/**
 * Uses a code that was mailed to an address. Returns the challenge with which it was mailed; undefined if it
 * is wrong, expired or used. Sign-ins of the address must wait for each other.
 */
export async function useMailedCode(
  tx: DatabaseTransaction,
  { emailHash, codeHash }: { emailHash: Buffer; codeHash: Buffer },
): Promise<string | undefined> {
  const { rows } = await sql<{ challenge_id: string }>`
    update email_challenges set code_hash = null
    where email_hash = ${emailHash} and code_hash = ${codeHash} and mailed_at > now() - interval ${VALID_FOR}
    returning challenge_id`.execute(tx);
  return rows[0]?.challenge_id;
}

/** Ends the codes that were mailed to an address. Sign-ins of the address must wait. */
export async function endMailedCodes(tx: DatabaseTransaction, emailHash: Buffer): Promise<void> {
  await sql`
    update email_challenges set code_hash = null
    where email_hash = ${emailHash} and code_hash is not null and mailed_at is not null`.execute(tx);
}

/** Counts a wrong code that was sent with a challenge. */
export async function countWrongCode(tx: DatabaseTransaction, challengeId: string): Promise<void> {
  await sql`
    update email_challenges set wrong_codes = wrong_codes + 1 where challenge_id = ${challengeId}`.execute(
    tx,
  );
}

/** A mail with a code that is due. */
export interface SignInMail {
  challenge_id: string;
  mail_id: string;
  /** Encrypted for the challenge, as the link is. */
  email: Buffer;
  email_hash: Buffer;
  mailbox_hash: Buffer;
  language: MailLanguage;
  link: Buffer;
  /** Whether it was tried before. Then it is counted. */
  is_counted: boolean;
  /** Whether its challenge has expired, or its code was used. */
  is_useless: boolean;
}

/** Takes the next due mail for a minute; undefined if there is none. */
export async function leaseSignInMail(db: Database): Promise<SignInMail | undefined> {
  const { rows } = await sql<SignInMail>`
    with due as materialized (
      select challenge_id from email_challenges where next_attempt_at <= now()
      order by next_attempt_at limit 1 for no key update skip locked
    )
    update email_challenges c set next_attempt_at = now() + interval ${LEASE} from due
    where c.challenge_id = due.challenge_id
    returning c.challenge_id, c.mail_id, c.email, c.email_hash, c.mailbox_hash, c.language, c.link,
      c.mailed_at is not null as is_counted,
      c.code_hash is null or c.created_at <= now() - interval ${VALID_FOR} as is_useless`.execute(db);
  return rows[0];
}

/**
 * Notes that a mail is being sent: its code is valid from now on, because nobody knows whether the mail
 * server has it if the process is killed.
 */
export async function noteMailedCode(tx: DatabaseTransaction, challengeId: string): Promise<void> {
  await sql`
    update email_challenges set mailed_at = clock_timestamp() where challenge_id = ${challengeId}`.execute(
    tx,
  );
}

/** Tries a mail again later. */
export async function postponeSignInMail(
  db: Database,
  { challengeId, delaySeconds }: { challengeId: string; delaySeconds: number },
): Promise<void> {
  await sql`
    update email_challenges set next_attempt_at = now() + make_interval(secs => ${delaySeconds})
    where challenge_id = ${challengeId} and link is not null`.execute(db);
}

/** Forgets the link of a mail that was sent, or that is not to be sent. */
export async function finishSignInMail(db: Database, challengeId: string): Promise<void> {
  await sql`
    update email_challenges set link = null, next_attempt_at = null where challenge_id = ${challengeId}`.execute(
    db,
  );
}

/** Deletes challenges that have expired, and whose code has. Returns whether there may be more. */
export async function deleteExpiredEmailChallenges(db: Database): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from email_challenges where challenge_id = any(array(
      select challenge_id from email_challenges
      where created_at <= now() - interval ${VALID_FOR}
        and (mailed_at is null or mailed_at <= now() - interval ${VALID_FOR})
      order by created_at limit ${MAX_DELETED} for update skip locked
    ))`.execute(db);
  return numAffectedRows >= BigInt(MAX_DELETED);
}
