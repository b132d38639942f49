import type { DatabaseFacts, SettingName } from '../storage/inspection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

// The request counts of the rate limit may be lost in a crash.
const INTENDED_UNLOGGED_TABLES = ['request_counts'];

type Rule = [name: SettingName, safeValue: string, toFinding: typeof problem, risk: string];

const RULES: Rule[] = [
  ['fsync', 'on', problem, 'a crash of the machine may destroy the database'],
  ['full_page_writes', 'on', problem, 'a crash of the machine may destroy pages'],
  ['zero_damaged_pages', 'off', problem, 'damaged pages are silently replaced with empty ones'],
  ['ignore_checksum_failure', 'off', problem, 'damaged pages are read as if they were intact'],
  ['synchronous_commit', 'on', problem, 'commits of the service may be lost after the response was sent'],
  ['data_checksums', 'on', warning, 'damage on the disk is not detected'],
  ['autovacuum', 'on', warning, 'the database grows, and stops when transaction ids run out'],
];

const ADVICE: Partial<Record<SettingName, string>> = {
  synchronous_commit: 'find the pooler or trigger that changes the settings of connections, and remove it',
  data_checksums: 'stop the server, then run pg_checksums --enable',
};

/** Checks the settings that protect committed data from loss. */
export function inspectDurability(facts: DatabaseFacts, { isEmbedded }: { isEmbedded: boolean }): Finding[] {
  const { settings } = facts;
  const findings = RULES.filter(([name, safeValue]) => settings[name] !== safeValue).map(
    ([name, safeValue, toFinding, risk]) =>
      toFinding(name, `${settings[name]}: ${risk}`, ADVICE[name] ?? `set it to ${safeValue} on the server`),
  );
  if (settings.synchronous_commit === 'on' && facts.defaultSynchronousCommit === 'off') {
    findings.push(
      warning(
        'synchronous_commit',
        'off by default: commits of the service are safe, those of other programs are not',
        'set it to on for this database',
      ),
    );
  }
  const unlogged = facts.unloggedTables.filter((name) => !INTENDED_UNLOGGED_TABLES.includes(name));
  if (unlogged.length > 0) {
    findings.push(
      problem(
        'unlogged tables',
        `${unlogged.join(', ')}: a crash of the server empties them`,
        'alter table … set logged',
      ),
    );
  }
  if (settings.synchronous_standby_names !== '' && facts.standbys === 0) {
    findings.push(
      problem(
        'synchronous_standby_names',
        'no standby is connected, so every commit waits',
        'start a standby, or clear the setting',
      ),
    );
  }
  if (findings.length === 0) findings.push(ok('durability', 'committed data survives a crash'));
  return isEmbedded ? findings : [...findings, inspectArchive(facts)];
}

function inspectArchive({ settings, lastArchivedAt, lastArchiveFailureAt }: DatabaseFacts): Finding {
  if (settings.archive_mode === 'off' || settings.wal_level === 'minimal') {
    return warning(
      'WAL archive',
      `archive_mode is ${settings.archive_mode}, wal_level is ${settings.wal_level}: no point-in-time recovery`,
      'archive the WAL (docs/operations.md), unless your provider has its own way',
    );
  }
  if (lastArchiveFailureAt !== null && lastArchiveFailureAt > (lastArchivedAt ?? 0)) {
    return problem(
      'WAL archive',
      `archive_command last failed at ${lastArchiveFailureAt.toISOString()}`,
      "fix archive_command (see the server's log): until then, WAL fills the disk",
    );
  }
  return ok(
    'WAL archive',
    lastArchivedAt === null
      ? 'on, nothing archived yet'
      : `last file archived at ${lastArchivedAt.toISOString()}`,
  );
}
