import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import {
  hasParentDeathSignal,
  isRoot,
  makeLog,
  makeTemporaryDirectory,
  query,
  startEngine,
  users,
  usualUser,
} from './testing/running-engine.ts';

describe.for(users)('run as %s', (user) => {
  test('keeps the data over a stop and a start, in a path with spaces, commas and quotes', async () => {
    const dataDir = join(await makeTemporaryDirectory(), `a "b", c's`);
    const first = await startEngine(dataDir, { user });
    await query(first.connection, 'create table kept as select 7 as value');
    await first.stop();
    await first.stop();
    expect(await stat(join(dataDir, 'postgres', 'postmaster.pid')).catch(() => 'gone')).toBe('gone');

    const second = await startEngine(dataDir, { user, hasParentDeathSignal: false });
    expect(await query(second.connection, 'select value from kept')).toEqual([{ value: 7 }]);
    expect(second.connection).toEqual(first.connection);
  });

  test('is durable, in UTC and UTF-8, and reached by its closed socket only', async () => {
    const dataDir = join(await makeTemporaryDirectory(), 'data');
    const { connection } = await startEngine(dataDir, { user });
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'max_connections'];
    const more = [
      'TimeZone',
      'log_timezone',
      'listen_addresses',
      'server_encoding',
      'unix_socket_permissions',
    ];
    const list = [...names, ...more].map((name) => `current_setting('${name}') as "${name}"`);
    expect(await query(connection, `select ${list.join(', ')}`)).toEqual([
      {
        fsync: 'on',
        synchronous_commit: 'on',
        full_page_writes: 'on',
        data_checksums: 'on',
        max_connections: '100',
        TimeZone: 'UTC',
        log_timezone: 'UTC',
        listen_addresses: '',
        server_encoding: 'UTF8',
        unix_socket_permissions: '0700',
      },
    ]);
    expect(await query(connection, `select lower('ÄÉ') as lower, 'Z' < 'a' as "isByCodePoint"`)).toEqual([
      { lower: 'äé', isByCodePoint: true },
    ]);
    expect(
      await query(connection, 'select distinct type, auth_method from pg_hba_file_rules order by type'),
    ).toEqual([
      { type: 'host', auth_method: 'reject' },
      { type: 'local', auth_method: 'trust' },
    ]);
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  test('listens elsewhere where the path is too long for a socket', async () => {
    const dataDir = join(await makeTemporaryDirectory(), 'long'.repeat(20), 'data');
    const { connection } = await startEngine(dataDir, { user });
    expect(connection.host.startsWith(dataDir)).toBe(false);
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

test('runs twice at the same time on two data directories', async () => {
  const directory = await makeTemporaryDirectory();
  const engines = await Promise.all(['a', 'b'].map((name) => startEngine(join(directory, name))));
  await Promise.all(engines.map(({ connection }, at) => query(connection, `create table t${at} ()`)));
  const tables = engines.map(({ connection }) =>
    query(connection, `select tablename from pg_tables where schemaname = 'public'`),
  );
  expect(await Promise.all(tables)).toEqual([[{ tablename: 't0' }], [{ tablename: 't1' }]]);
});

describe.runIf(isRoot)('as root', () => {
  test.runIf(users.includes('user-namespace'))('works within a closed home', async () => {
    const home = await makeTemporaryDirectory();
    await chmod(home, 0o700);
    const { connection } = await startEngine(join(home, 'data'));
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('says what to do where the other user cannot reach a closed home', async () => {
    const home = await makeTemporaryDirectory();
    await chmod(home, 0o700);
    await expect(startEngine(join(home, 'data'), { user: 'other-user' })).rejects.toThrow(
      /as other-user 65534: no access to .*run the service as a normal user .* or set DATABASE_URL$/,
    );
  });

  test.runIf(users.includes('user-namespace'))(
    'hands the files over when the way of running changes',
    async () => {
      const dataDir = join(await makeTemporaryDirectory(), 'data');
      const first = await startEngine(dataDir, { user: 'user-namespace' });
      await query(first.connection, 'create table kept ()');
      await first.stop();
      const second = await startEngine(dataDir, { user: 'other-user' });
      expect((await stat(join(dataDir, 'postgres', 'base'))).uid).toBe(65534);
      await second.stop();
      const third = await startEngine(dataDir);
      expect(await query(third.connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 0 }]);
    },
  );
});

test('names both versions where the files are of another one', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(startEngine(dataDir)).rejects.toThrow(
    /made by PostgreSQL 17, this release runs PostgreSQL 18; dump .* DATABASE_URL$/,
  );
});

test('leaves alone what is not a database', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'postgres', 'diary.txt'), 'dear diary');
  await expect(startEngine(dataDir)).rejects.toThrow('is not a PostgreSQL database');
  expect(await readFile(join(dataDir, 'postgres', 'diary.txt'), 'utf8')).toBe('dear diary');
});

test('shows the last lines of the server log where the server does not start', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const engine = await startEngine(dataDir);
  await engine.stop();
  await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), "shared_buffers = 'much'\n");
  const refusal = await startEngine(dataDir).catch((error: Error) => error);
  expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
  expect(refusal).toHaveProperty(
    'message',
    expect.stringMatching(/did not start .*"shared_buffers": "much"/),
  );
  expect(refusal).toHaveProperty('message', expect.not.stringContaining('\n'));
});

test('logs how it runs', async () => {
  const dataDir = join(await makeTemporaryDirectory(), 'data');
  const entries: object[] = [];
  const log = { ...makeLog(), info: (details: object) => void entries.push(details) };
  await startEngine(dataDir, {}, log);
  expect(entries).toEqual([expect.objectContaining({ runsAs: usualUser, hasParentDeathSignal })]);
});
