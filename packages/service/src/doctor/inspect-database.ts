import {
  CONNECTIONS_PER_PROCESS,
  DIRECT_CONNECTIONS_PER_PROCESS,
  OLDEST_SERVER_VERSION,
} from '../storage/database.ts';
import { type Deployment, describeDeployment } from '../storage/deployment.ts';
import type { DatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const WARNING_SKEW_MS = 5_000;
const PROBLEM_SKEW_MS = 60_000;
const OLD_TRANSACTION_MS = 300_000;
const WARNING_PENDING_MS = 60_000;
const PROBLEM_PENDING_MS = 600_000;
// The age of the oldest transaction id, in transactions. PostgreSQL rejects writes at about 2,100,000,000.
const WARNING_ID_AGE = 1_000_000_000;
const PROBLEM_ID_AGE = 1_800_000_000;

/**
 * Checks that the service can work with the database. `isInUse`: whether a service may be using the database
 * now. Old pending operations are reported only in this case. `hasPooler`: whether BADGE_POOLER_URL is set.
 */
export function inspectDatabase(
  facts: DatabaseFacts,
  {
    isInUse,
    hasPooler = false,
    configured,
  }: { isInUse: boolean; hasPooler?: boolean; configured: Deployment },
): Finding[] {
  return [
    ...(facts.isPooled ? [POOLER_AS_DATABASE_URL] : []),
    inspectVersion(facts),
    inspectEncoding(facts),
    inspectWritable(facts),
    inspectMigrations(facts),
    inspectDeployment(facts, configured),
    inspectConnections(facts, hasPooler ? DIRECT_CONNECTIONS_PER_PROCESS : CONNECTIONS_PER_PROCESS),
    inspectClock(facts),
    inspectTransactions(facts),
    ...(isInUse ? inspectBacklog(facts) : []),
  ];
}

export const POOLER_AS_DATABASE_URL = problem(
  'DATABASE_URL',
  'leads to a pooler',
  'set BADGE_POOLER_URL to it, and DATABASE_URL to the server',
);

function inspectVersion({ settings }: DatabaseFacts): Finding {
  return Number(settings.server_version_num) < OLDEST_SERVER_VERSION
    ? problem('PostgreSQL', settings.server_version, 'use 15 or newer')
    : ok('PostgreSQL', settings.server_version);
}

function inspectEncoding({ settings: { server_encoding: encoding } }: DatabaseFacts): Finding {
  return encoding === 'UTF8'
    ? ok('encoding', encoding)
    : problem('encoding', encoding, "create the database again: create database … encoding 'UTF8'");
}

function inspectWritable({ isInRecovery, settings }: DatabaseFacts): Finding {
  if (isInRecovery) {
    return problem('writes', 'the server is a read-only standby', 'set DATABASE_URL to the primary');
  }
  return settings.default_transaction_read_only === 'on'
    ? problem(
        'writes',
        'default_transaction_read_only is on',
        'set it to off for this database and role; some providers set it when the disk is full',
      )
    : ok('writes', 'accepted');
}

function inspectMigrations({
  migrations: { missing, unknown },
  mayCreateTables,
  isInRecovery,
}: DatabaseFacts): Finding {
  if (unknown.length > 0) {
    return problem('migrations', `newer than this release: ${unknown.join(', ')}`, 'run the newer release');
  }
  if (missing.length === 0) return ok('migrations', 'up to date');
  // A standby cannot be migrated, so the privilege does not matter there.
  if (!mayCreateTables && !isInRecovery) {
    return problem(
      'migrations',
      'needed, but this role may not create tables',
      'make the role the owner of the database, or: grant create on schema public to …',
    );
  }
  return warning(
    'migrations',
    `not applied: ${missing.join(', ')}`,
    'start the service, or run: npm run migrate',
  );
}

function inspectDeployment({ deployment }: DatabaseFacts, configured: Deployment): Finding {
  if (deployment === null) return ok('deployment', 'not recorded yet: the next start records it');
  const recorded = describeDeployment(deployment);
  return recorded === describeDeployment(configured)
    ? ok('deployment', recorded)
    : problem(
        'deployment',
        `the database belongs to ${recorded}; configured is ${describeDeployment(configured)}`,
        'correct BADGE_ENVIRONMENT, BADGE_CHAIN_ID and BADGE_VERIFYING_CONTRACT, or use another database',
      );
}

function inspectConnections(
  { settings, connections: { otherPrograms, limit } }: DatabaseFacts,
  neededPerProcess: number,
): Finding {
  const free =
    Number(settings.max_connections) - Number(settings.superuser_reserved_connections) - otherPrograms;
  const available = Math.min(free, limit ?? free);
  const found = `${available} available, ${neededPerProcess} needed per process, ${otherPrograms} used by other programs`;
  if (available >= 2 * neededPerProcess) return ok('connections', found);
  const toFinding = available < neededPerProcess ? problem : warning;
  return toFinding(
    'connections',
    found,
    'raise max_connections or the connection limit; during an upgrade two processes run',
  );
}

// Doctor cannot know which of the two clocks is wrong. With a wrong database clock, tokens, claim links and
// keys expire too early or too late.
function inspectClock({ clockSkewMs }: DatabaseFacts): Finding {
  const seconds = (Math.abs(clockSkewMs) / 1000).toFixed(1);
  const found = `the database is ${seconds} s ${clockSkewMs < 0 ? 'behind' : 'ahead of'} this machine`;
  const advice =
    "synchronize both machines (NTP): tokens, claim links and keys expire by the database's clock";
  if (Math.abs(clockSkewMs) > PROBLEM_SKEW_MS) return problem('clock', found, advice);
  return Math.abs(clockSkewMs) > WARNING_SKEW_MS ? warning('clock', found, advice) : ok('clock', found);
}

function inspectTransactions({ transactionIdAge, longestTransactionMs }: DatabaseFacts): Finding {
  if (transactionIdAge > WARNING_ID_AGE) {
    const toFinding = transactionIdAge > PROBLEM_ID_AGE ? problem : warning;
    return toFinding(
      'transactions',
      `${transactionIdAge} transaction ids used; at 2,100,000,000 the server rejects writes`,
      'end old transactions and drop unused replication slots, then run: vacuumdb --all --freeze',
    );
  }
  return longestTransactionMs > OLD_TRANSACTION_MS
    ? warning(
        'transactions',
        `one has been open for ${toSeconds(longestTransactionMs)} s`,
        'find it in pg_stat_activity; it holds locks and prevents vacuum',
      )
    : ok('transactions', 'none has been open for long');
}

function inspectBacklog({ oldestPendingMs }: DatabaseFacts): Finding[] {
  if (oldestPendingMs === null) return [];
  if (oldestPendingMs <= WARNING_PENDING_MS) return [ok('operations', 'none has been pending for long')];
  const toFinding = oldestPendingMs > PROBLEM_PENDING_MS ? problem : warning;
  return [
    toFinding(
      'operations',
      `the oldest has been pending for ${toSeconds(oldestPendingMs)} s`,
      'check that a process with BADGE_ROLE all or worker is running, and read its log',
    ),
  ];
}

function toSeconds(ms: number): number {
  return Math.round(ms / 1000);
}
