import type { DatabaseFacts, SettingName } from '../storage/inspection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

// The service counts requests in one table that may be lost.
const UNLOGGED_ON_PURPOSE = ['request_counts'];

type Rule = [name: SettingName, safe: string, judge: typeof problem, danger: string];

const RULES: Rule[] = [
  ['fsync', 'on', problem, 'a crash of the machine may destroy the database'],
  ['full_page_writes', 'on', problem, 'a crash of the machine may destroy pages'],
  ['zero_damaged_pages', 'off', problem, 'damaged pages are emptied without a word'],
  ['ignore_checksum_failure', 'off', problem, 'damaged pages are read as if they were whole'],
  ['synchronous_commit', 'on', problem, 'commits of the service itself may be lost after they were answered'],
  ['data_checksums', 'on', warning, 'a damaged disk goes unnoticed'],
  ['autovacuum', 'on', warning, 'the database grows, and stops when transaction ids run out'],
];

const ADVICE: Partial<Record<SettingName, string>> = {
  synchronous_commit: 'do not let a pooler or a trigger change what the service sets on its connections',
  data_checksums: 'with the server stopped: pg_checksums --enable',
};

/** Whether the server keeps what it has confirmed. */
export function checkDurability(facts: DatabaseFacts, { isEmbedded }: { isEmbedded: boolean }): Finding[] {
  const { settings } = facts;
  const findings = RULES.filter(([name, safe]) => settings[name] !== safe).map(
    ([name, safe, judge, danger]) =>
      judge(name, `${settings[name]}: ${danger}`, ADVICE[name] ?? `set it ${safe} on the server`),
  );
  if (settings.synchronous_commit === 'on' && facts.defaultSynchronousCommit === 'off') {
    findings.push(
      warning(
        'synchronous_commit',
        "off by default: the service's own commits are safe, those of people and programs beside it are not",
        'set it on for this database',
      ),
    );
  }
  const unlogged = facts.unloggedTables.filter((name) => !UNLOGGED_ON_PURPOSE.includes(name));
  if (unlogged.length > 0) {
    findings.push(
      problem(
        'unlogged tables',
        `${unlogged.join(', ')}: emptied by a crash of the server`,
        'alter table … set logged',
      ),
    );
  }
  if (settings.synchronous_standby_names !== '' && facts.standbys === 0) {
    findings.push(
      problem(
        'synchronous_standby_names',
        'no standby is connected: every commit waits',
        'start a standby, or empty the setting',
      ),
    );
  }
  if (findings.length === 0) findings.push(ok('durability', 'what is committed survives a crash'));
  return isEmbedded ? findings : [...findings, checkArchive(facts)];
}

function checkArchive({ settings, lastArchivedAt, lastArchiveFailureAt }: DatabaseFacts): Finding {
  if (settings.archive_mode === 'off' || settings.wal_level === 'minimal') {
    return warning(
      'WAL archive',
      `archive_mode is ${settings.archive_mode}, wal_level ${settings.wal_level}: no restore to a point in time`,
      'archive the WAL (docs/operations.md), unless your provider does it in its own way',
    );
  }
  if (lastArchiveFailureAt !== null && lastArchiveFailureAt > (lastArchivedAt ?? 0)) {
    return problem(
      'WAL archive',
      `failing since the last try at ${lastArchiveFailureAt.toISOString()}`,
      "mend archive_command (the server's log says why): WAL is kept until the disk is full",
    );
  }
  return ok(
    'WAL archive',
    lastArchivedAt === null ? 'on, nothing archived yet' : `last at ${lastArchivedAt.toISOString()}`,
  );
}
