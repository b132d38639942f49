import { CONNECTIONS_PER_PROCESS, OLDEST_SERVER_VERSION } from '../storage/database.ts';
import type { DatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const NOTICED_SKEW_MS = 5_000;
const GRAVE_SKEW_MS = 60_000;
const OLD_TRANSACTION_MS = 300_000;
const SLOW_BACKLOG_MS = 60_000;
const STUCK_BACKLOG_MS = 600_000;
const NOTICED_ID_AGE = 1_000_000_000;
// PostgreSQL stops to write at about 2,100,000,000.
const GRAVE_ID_AGE = 1_800_000_000;

/** Whether the service can work with the database. */
export function checkDatabase(facts: DatabaseFacts, { isServed }: { isServed: boolean }): Finding[] {
  return [
    checkServer(facts),
    checkEncoding(facts),
    checkWritable(facts),
    checkMigrations(facts),
    checkConnections(facts),
    checkClock(facts),
    checkTransactions(facts),
    ...(isServed ? checkBacklog(facts) : []),
  ];
}

function checkServer({ settings }: DatabaseFacts): Finding {
  return Number(settings.server_version_num) < OLDEST_SERVER_VERSION
    ? problem('PostgreSQL', settings.server_version, 'use 15 or newer')
    : ok('PostgreSQL', settings.server_version);
}

function checkEncoding({ settings: { server_encoding: encoding } }: DatabaseFacts): Finding {
  return encoding === 'UTF8'
    ? ok('encoding', encoding)
    : problem('encoding', encoding, "make the database anew: create database … encoding 'UTF8'");
}

function checkWritable({ isInRecovery, settings }: DatabaseFacts): Finding {
  if (isInRecovery) {
    return problem('writes', 'the server is a standby, it only reads', 'set DATABASE_URL to the primary');
  }
  return settings.default_transaction_read_only === 'on'
    ? problem(
        'writes',
        'default_transaction_read_only is on',
        'set it off for this database and role; a provider sets it when the disk is full',
      )
    : ok('writes', 'the server takes them');
}

function checkMigrations({
  migrations: { missing, unknown },
  mayCreateTables,
  ...facts
}: DatabaseFacts): Finding {
  if (unknown.length > 0) {
    return problem('migrations', `newer than this release: ${unknown.join(', ')}`, 'run the newer release');
  }
  if (missing.length === 0) return ok('migrations', 'up to date');
  if (!mayCreateTables && !facts.isInRecovery) {
    return problem(
      'migrations',
      'they wait, and this role may not create tables',
      'make the role the owner of the database, or: grant create on schema public to …',
    );
  }
  return warning(
    'migrations',
    `to be done: ${missing.join(', ')}`,
    'the next start runs them, or: npm run migrate',
  );
}

function checkConnections({ settings, connections: { foreign, limit } }: DatabaseFacts): Finding {
  const ofServer =
    Number(settings.max_connections) - Number(settings.superuser_reserved_connections) - foreign;
  const free = Math.min(ofServer, limit ?? ofServer);
  const found = `${free} for the service, which opens up to ${CONNECTIONS_PER_PROCESS} a process; other programs have ${foreign}`;
  if (free >= 2 * CONNECTIONS_PER_PROCESS) return ok('connections', found);
  const judge = free < CONNECTIONS_PER_PROCESS ? problem : warning;
  return judge(
    'connections',
    found,
    'raise max_connections or the limit: an upgrade runs two processes at once',
  );
}

// Expiry is decided by the database's clock and cannot be taken back; which of the two is wrong is not known here.
function checkClock({ clockSkewMs }: DatabaseFacts): Finding {
  const isLate = clockSkewMs < 0;
  const found = `the database's is ${(Math.abs(clockSkewMs) / 1000).toFixed(1)} s ${isLate ? 'behind' : 'ahead of'} this machine's`;
  const advice = "let both machines keep time (NTP): claims and keys expire by the database's clock";
  if (Math.abs(clockSkewMs) > GRAVE_SKEW_MS) return problem('clock', found, advice);
  return Math.abs(clockSkewMs) > NOTICED_SKEW_MS ? warning('clock', found, advice) : ok('clock', found);
}

function checkTransactions({ transactionIdAge, longestTransactionMs }: DatabaseFacts): Finding {
  if (transactionIdAge > NOTICED_ID_AGE) {
    const judge = transactionIdAge > GRAVE_ID_AGE ? problem : warning;
    return judge(
      'transactions',
      `${transactionIdAge} ids in use of 2,100,000,000, where the server stops`,
      'end what holds the oldest back (open transactions, replication slots), then: vacuumdb --all --freeze',
    );
  }
  return longestTransactionMs > OLD_TRANSACTION_MS
    ? warning(
        'transactions',
        `one has been open for ${toSeconds(longestTransactionMs)} s`,
        'look for it in pg_stat_activity: it holds locks and keeps old rows',
      )
    : ok('transactions', 'none is old');
}

function checkBacklog({ oldestPendingMs }: DatabaseFacts): Finding[] {
  if (oldestPendingMs === null) return [];
  if (oldestPendingMs <= SLOW_BACKLOG_MS) return [ok('operations', 'none waits for long')];
  const judge = oldestPendingMs > STUCK_BACKLOG_MS ? problem : warning;
  return [
    judge(
      'operations',
      `the oldest has been pending for ${toSeconds(oldestPendingMs)} s`,
      'see that a process with BADGE_ROLE all or worker runs, and read its log',
    ),
  ];
}

function toSeconds(ms: number): number {
  return Math.round(ms / 1000);
}
