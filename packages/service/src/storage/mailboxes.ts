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

/**
 * Counts a mail with which somebody signs in. Returns false, and counts none, if the mailbox has got
 * `maxPerQuarter` of them in 15 minutes, or `maxPerDay` in 24 hours.
 */
export async function countSignInMail(
  tx: DatabaseTransaction,
  {
    mailboxHash,
    maxPerQuarter,
    maxPerDay,
  }: { mailboxHash: Buffer; maxPerQuarter: number; maxPerDay: number },
): Promise<boolean> {
  await lockMailboxes(tx, [mailboxHash]);
  const { rows } = await sql`
    insert into requested_mails (email_hash, kind, requested_at)
    select ${mailboxHash}::bytea, 'signIn', clock_timestamp() from (
      select count(*) filter (where requested_at > clock_timestamp() - interval ${QUARTER}) as in_quarter, count(*) as in_day
      from requested_mails
      where email_hash = ${mailboxHash}::bytea and kind = 'signIn' and requested_at > clock_timestamp() - interval ${DAY}
    ) earlier
    where in_quarter < ${maxPerQuarter} and in_day < ${maxPerDay}
    returning 1`.execute(tx);
  return rows.length > 0;
}

// Transactions that count for one mailbox wait for each other, always in the same order.
async function lockMailboxes(tx: DatabaseTransaction, mailboxHashes: Buffer[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(wanted.hash, 0)) from (
      select distinct encode(hash, 'hex') as hash from unnest(${mailboxHashes}::bytea[]) as w (hash) order by 1
    ) wanted`.execute(tx);
}
