import { sql } from 'kysely';
import type { DatabaseTransaction } from './database.ts';

const DAY = sql.lit('1 day');
const QUARTER = sql.lit('15 minutes');

/**
 * Who causes a mail: `stranger`: somebody who has entered the address; `repeated`: a community that sends or
 * invites again.
 */
export type CountedMail = 'stranger' | 'repeated';

/**
 * Counts mails to mailboxes. `mailboxHashes` has one hash for each mail, so one can be there several times.
 * If a mailbox would get more than `maxPerDay` of this kind in 24 hours, counts none, and returns the hashes
 * of such mailboxes, with the seconds until they may get them.
 */
export async function countMailboxMails(
  tx: DatabaseTransaction,
  { kind, mailboxHashes, maxPerDay }: { kind: CountedMail; mailboxHashes: Buffer[]; maxPerDay: number },
): Promise<{ mailboxHash: Buffer; seconds: number }[]> {
  if (mailboxHashes.length === 0) return [];
  await lockMailboxes(tx, mailboxHashes);
  const { rows } = await sql<{ mailbox_hash: Buffer; seconds: number }>`
    select wanted.hash as mailbox_hash, extract(epoch from coalesce((
      select requested_at from requested_mails r
      where r.email_hash = wanted.hash and r.kind = ${kind} and r.requested_at > clock_timestamp() - interval ${DAY}
      order by requested_at offset greatest(0, earlier.mails + wanted.mails - ${maxPerDay} - 1) limit 1
    ), clock_timestamp()) + interval ${DAY} - clock_timestamp())::double precision as seconds
    from (select hash, count(*)::integer as mails from unnest(${mailboxHashes}::bytea[]) as w (hash) group by hash) wanted
    cross join lateral (
      select count(*)::integer as mails from requested_mails r
      where r.email_hash = wanted.hash and r.kind = ${kind} and r.requested_at > clock_timestamp() - interval ${DAY}
    ) earlier
    where earlier.mails + wanted.mails > ${maxPerDay}`.execute(tx);
  if (rows.length === 0) {
    await sql`
      insert into requested_mails (email_hash, kind, requested_at)
      select hash, ${kind}, clock_timestamp() from unnest(${mailboxHashes}::bytea[]) as w (hash)`.execute(tx);
  }
  return rows.map((row) => ({ mailboxHash: row.mailbox_hash, seconds: row.seconds }));
}

/** What a sign-in mail counts for: its address as it is spelled, and the whole mailbox. */
export type SignInBudget = 'signIn' | 'signInMailbox';

/** Whether fewer than `maxPerQuarter` of them count in 15 minutes, and fewer than `maxPerDay` in 24 hours. */
export async function hasSignInMailsLeft(
  tx: DatabaseTransaction,
  budget: { kind: SignInBudget; hash: Buffer; maxPerQuarter: number; maxPerDay: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from requested_mails
    where email_hash = ${budget.hash}::bytea and kind = ${budget.kind}
      and requested_at > clock_timestamp() - interval ${DAY}
    having count(*) < ${budget.maxPerDay}
      and count(*) filter (where requested_at > clock_timestamp() - interval ${QUARTER}) < ${budget.maxPerQuarter}`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Counts a mail with which somebody signs in. */
export async function countSignInMail(
  tx: DatabaseTransaction,
  { emailHash, mailboxHash }: { emailHash: Buffer; mailboxHash: Buffer },
): Promise<void> {
  await sql`
    insert into requested_mails (email_hash, kind, requested_at)
    values (${emailHash}::bytea, 'signIn', clock_timestamp()),
           (${mailboxHash}::bytea, 'signInMailbox', clock_timestamp())`.execute(tx);
}

/** Transactions that count for one mailbox wait for each other, always in the same order. */
export async function lockMailboxes(tx: DatabaseTransaction, mailboxHashes: Buffer[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(wanted.hash, 0)) from (
      select distinct encode(hash, 'hex') as hash from unnest(${mailboxHashes}::bytea[]) as w (hash) order by 1
    ) wanted`.execute(tx);
}
