import type { Mutant } from './mutant.ts';

export const ASYNCHRONOUS_COMMIT: Mutant = {
  name: 'synchronous_commit=off',
  defect: 'A commit is acknowledged before it is on disk.',
  breaks: 'I1',
  // A kill of a service loses no commit.
  faultFilter: 'kill -9 of PostgreSQL',
  // By default PostgreSQL writes asynchronous commits within 0.6 s, usually too soon for a kill to lose one.
  // ALTER SYSTEM cannot run in the same query as other statements, so the setting is appended to the file.
  prepareSql: `checkpoint;
    copy (select 'wal_writer_delay = 10s') to program 'cat >> postgresql.auto.conf';
    select pg_reload_conf()`,
  changes: {
    'storage/database.ts': [['synchronous_commit=on', 'synchronous_commit=off']],
  },
};
