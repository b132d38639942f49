import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { EmbeddedPostgresError } from './error.ts';
import {
  createLog,
  createTemporaryDirectory,
  defaultMode,
  hasParentDeathSignal,
  isRoot,
  modes,
  query,
  startServer,
} from './testing/servers.ts';

describe.for(modes)('in mode %s', (mode) => {
  test('keeps the data across a restart, in a path with spaces, commas and quotes', async () => {
    const dataDir = join(await createTemporaryDirectory(), `a "b", c's`);
    const first = await startServer(dataDir, { mode });
    await query(first.connection, 'create table kept as select 7 as value');
    await first.stop();
    // A second call does nothing.
    await first.stop();
    expect(await stat(join(dataDir, 'postgres', 'postmaster.pid')).catch(() => 'gone')).toBe('gone');

    // The second start also tests a platform without the parent death signal.
    const second = await startServer(dataDir, { mode, hasParentDeathSignal: false });
    expect(await query(second.connection, 'select value from kept')).toEqual([{ value: 7 }]);
    expect(second.connection).toEqual(first.connection);
  });

  test('is durable, uses UTC and UTF-8, and listens only on a private socket', async () => {
    const dataDir = join(await createTemporaryDirectory(), 'data');
    const { connection } = await startServer(dataDir, { mode });
    const names = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'data_checksums',
      'max_connections',
      'TimeZone',
      'log_timezone',
      'listen_addresses',
      'server_encoding',
      'unix_socket_permissions',
    ];
    const list = names.map((name) => `current_setting('${name}') as "${name}"`);
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

  test('listens in another directory if the path is too long for a socket', async () => {
    const dataDir = join(await createTemporaryDirectory(), 'long'.repeat(20), 'data');
    const { connection } = await startServer(dataDir, { mode });
    expect(connection.host.startsWith(dataDir)).toBe(false);
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('the PG* environment variables of another server', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    { PGSSLMODE: 'require', PGSSLNEGOTIATION: 'direct', PGREPLICATION: 'database' },
    {
      PGSSLNEGOTIATION: 'unknown',
      PGCLIENT_ENCODING: 'LATIN1',
      PGHOST: '192.0.2.1',
      PGPORT: '1',
      PGUSER: 'nobody',
      PGDATABASE: 'none',
      PGPASSWORD: 'wrong',
      PGDATA: '/nowhere',
      PGOPTIONS: '-c no_such_setting=1',
      PGTZ: 'nowhere',
    },
  ])('are ignored: %j', async (variables) => {
    const dataDir = await createTemporaryDirectory();
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const postgres = await startServer(dataDir);
    const client = new Client(postgres.connection);
    await client.connect();
    const { rows } = await client.query(
      `select current_user as name, current_setting('client_encoding') as encoding`,
    );
    expect(rows).toEqual([{ name: 'test', encoding: 'UTF8' }]);
    await client.end();
  });
});

test('runs two servers at the same time on two data directories', async () => {
  const directory = await createTemporaryDirectory();
  const servers = await Promise.all(['a', 'b'].map((name) => startServer(join(directory, name))));
  await Promise.all(servers.map(({ connection }, index) => query(connection, `create table t${index} ()`)));
  const tables = servers.map(({ connection }) =>
    query(connection, `select tablename from pg_tables where schemaname = 'public'`),
  );
  expect(await Promise.all(tables)).toEqual([[{ tablename: 't0' }], [{ tablename: 't1' }]]);
});

describe.runIf(isRoot)('as root', () => {
  test.runIf(modes.includes('user-namespace'))('starts inside a private home directory', async () => {
    const home = await createTemporaryDirectory();
    await chmod(home, 0o700);
    const { connection } = await startServer(join(home, 'data'));
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('in the mode other-user, rejects a private home directory of root, and says what to do', async () => {
    const home = await createTemporaryDirectory();
    await chmod(home, 0o700);
    await expect(startServer(join(home, 'data'), { mode: 'other-user' })).rejects.toThrow(
      /other-user, uid 65534: no access to .*run the service as a normal user .* use another PostgreSQL server$/,
    );
  });

  test.runIf(modes.includes('user-namespace'))(
    'changes the owner of the files when the mode changes',
    async () => {
      const dataDir = join(await createTemporaryDirectory(), 'data');
      const first = await startServer(dataDir, { mode: 'user-namespace' });
      await query(first.connection, 'create table kept ()');
      await first.stop();
      const second = await startServer(dataDir, { mode: 'other-user' });
      expect((await stat(join(dataDir, 'postgres', 'base'))).uid).toBe(65534);
      await second.stop();
      const third = await startServer(dataDir);
      expect(await query(third.connection, 'select count(*)::int as rows from kept')).toEqual([{ rows: 0 }]);
    },
  );
});

test('rejects files of another major version, and names both versions', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(startServer(dataDir)).rejects.toThrow(
    /made by PostgreSQL 17, but this release runs PostgreSQL 18; dump .* use a PostgreSQL 17 server$/,
  );
});

test('rejects a directory that is not a database, and does not change it', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'postgres', 'notes.txt'), 'not a database');
  await expect(startServer(dataDir)).rejects.toThrow('is not a PostgreSQL database');
  expect(await readFile(join(dataDir, 'postgres', 'notes.txt'), 'utf8')).toBe('not a database');
});

test('rejects files whose superuser has another name, and leaves no server running', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const first = await startServer(dataDir);
  await first.stop();
  const failure = await startEmbeddedPostgres({ dataDir, name: 'other', log: createLog() }).catch(
    (error: Error) => error,
  );
  expect(failure).toBeInstanceOf(EmbeddedPostgresError);
  expect(failure).toHaveProperty('message', expect.stringContaining('role "other" does not exist'));
  expect(await stat(join(dataDir, 'postgres', 'postmaster.pid')).catch(() => 'gone')).toBe('gone');
});

test('quotes the last lines of the server log in the error if the server does not start', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const postgres = await startServer(dataDir);
  await postgres.stop();
  await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), "shared_buffers = 'much'\n");
  const failure = await startServer(dataDir).catch((error: Error) => error);
  expect(failure).toBeInstanceOf(EmbeddedPostgresError);
  expect(failure).toHaveProperty(
    'message',
    expect.stringMatching(/did not start .*"shared_buffers": "much"/),
  );
  expect(failure).toHaveProperty('message', expect.not.stringContaining('\n'));
});

test('logs the launcher mode, and whether there is a parent death signal', async () => {
  const dataDir = join(await createTemporaryDirectory(), 'data');
  const entries: object[] = [];
  const log = { ...createLog(), info: (details: object) => void entries.push(details) };
  await startServer(dataDir, {}, log);
  expect(entries).toEqual([expect.objectContaining({ runsAs: defaultMode, hasParentDeathSignal })]);
});

test('rejects a name that is not a plain identifier', async () => {
  const options = { dataDir: '/nonexistent', log: createLog() };
  for (const name of ['', 'Badge', 'a-b', 'a b', '1a', 'a'.repeat(64)]) {
    await expect(startEmbeddedPostgres({ ...options, name })).rejects.toThrow('is not a valid database name');
  }
});
