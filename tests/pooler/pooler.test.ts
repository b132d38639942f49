import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  makeDataDir,
  spawnTestBadge,
  startTestBadge,
  startTestDatabaseProxy,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { type PgbouncerOptions, startPgbouncer } from '@badge/test-support/pgbouncer';
import { startReplicatedServers } from '@badge/test-support/replicated-servers';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { databaseTarget } from '@badge/test-support/tcp-proxy';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startReceiver } from '../../packages/service/src/testing/webhook-receiver.ts';
import { SESSIONS } from './sessions.ts';

vi.setConfig({ testTimeout: 240_000 });

const serverUrl = process.env.DATABASE_URL ?? '';

async function createDatabase(): Promise<string> {
  const name = `pooler_${randomUUID().replaceAll('-', '')}`;
  await query(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function startTestPgbouncer(databaseUrl: string, options?: PgbouncerOptions): Promise<string> {
  const pgbouncer = await startPgbouncer(databaseUrl, options);
  onTestFinished(pgbouncer.stop);
  return pgbouncer.url;
}

/** Starts a service that must fail, and returns what it printed to stderr. */
async function readStartError(env: Record<string, string>): Promise<string> {
  const badge = spawnTestBadge({ PORT: '0', LOG_LEVEL: 'silent', BADGE_DATABASE_WAIT: '0', ...env });
  expect(await badge.closed).toBe(1);
  return badge.output.stderr.trim();
}

/** Returns the problems that doctor prints, without their level. */
async function listProblems(env: Record<string, string>): Promise<string[]> {
  const badge = spawnTestBadge(env, { command: 'doctor' });
  await badge.closed;
  const lines = badge.output.stdout.split('\n').filter((line) => line.startsWith('problem'));
  return lines.map((line) => line.replace(/^problem +/, ''));
}

/** Creates a token, and returns the final status of the operation, or the status of the problem. */
async function createToken(service: { url: string; apiKey: string }): Promise<unknown> {
  const accepted = await fetch(`${service.url}/v1/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(await signedToken()),
  });
  const location = accepted.headers.get('location');
  const last = location === null ? accepted : await fetch(`${service.url}${location}?wait=30`);
  return ((await last.json()) as { status: unknown }).status;
}

test('an event is sent through the pooler', async () => {
  const databaseUrl = await createDatabase();
  const poolerUrl = await startTestPgbouncer(databaseUrl);
  const env = { DATABASE_URL: databaseUrl, BADGE_POOLER_URL: poolerUrl, BADGE_DATA_DIR: await makeDataDir() };
  const service = await startTestBadge(env);
  const receiver = await startReceiver();
  const adminKey = (await readFile(join(env.BADGE_DATA_DIR, 'admin-key'), 'utf8')).trim();
  const created = await fetch(`${service.url}/v1/communities/demo/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'test', url: receiver.url }),
  });
  expect(created.status).toBe(201);
  expect(await createToken(service)).toBe('success');
  const [request] = await receiver.waitFor(1);
  expect(request?.event.type).toBe('token.created');
  expect(service.output.stderr).not.toContain('is retried');
});

describe('after the acceptance suite', () => {
  test('each of the three processes listens for notifications on a connection to the server itself', async () => {
    // After a `set`, the connection for notifications executes only `listen`, `notify`, the query of changed
    // tokens, which reads the current snapshot, and an empty `select`. A session of the pooler executes none
    // of these four.
    const statement = `query ~* '^(listen|notify) |^select$|^\\s*select pg_current_snapshot'`;
    const selectSessions = `select from pg_stat_activity where application_name = 'badge' and datname = current_database() and ${statement}`;
    await vi.waitFor(
      async () => expect(await query(serverUrl, selectSessions)).toHaveLength(3),
      WAIT_OPTIONS,
    );
  });

  test('no session of the pooler has settings, channels, temporary tables, statements or locks of its own', async () => {
    const clients = Array.from({ length: SESSIONS }, () => new pg.Client(process.env.BADGE_POOLER_URL));
    const sessions = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        // The transaction keeps its session, so all clients together have all sessions of the pool.
        await client.query('begin');
        const { rows } = await client.query(`
          select pg_backend_pid() as pid, pg_my_temp_schema()::integer as temporary,
            array(select pg_listening_channels()) as channels,
            array(select name from pg_prepared_statements) as statements,
            array(select name from pg_settings where source = 'session' and name <> all (
              array['application_name', 'client_encoding', 'DateStyle', 'standard_conforming_strings', 'TimeZone']
            )) as settings,
            array(select classid from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks`);
        return rows[0];
      }),
    );
    await Promise.all(clients.map((client) => client.end()));
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(SESSIONS);
    for (const { pid: _pid, ...state } of sessions) {
      expect(state).toEqual({ temporary: 0, channels: [], statements: [], settings: [], locks: [] });
    }
  });
});

describe('if DATABASE_URL leads to a pooler', () => {
  const message =
    'DATABASE_URL leads to a pooler. Set BADGE_POOLER_URL to it, and DATABASE_URL to the server.';
  test.each([
    ['rejects', {}],
    [
      'ignores',
      {
        ignore_startup_parameters:
          'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
      },
    ],
  ])('that %s startup parameters, the start is refused and doctor reports it', async (_title, settings) => {
    const env = {
      DATABASE_URL: await startTestPgbouncer(await createDatabase(), { settings }),
      BADGE_DATA_DIR: await makeDataDir(),
    };
    expect(await readStartError(env)).toBe(`badge: ${message}`);
    expect(await listProblems(env)).toContain(
      'DATABASE_URL: leads to a pooler. To do: set BADGE_POOLER_URL to it, and DATABASE_URL to the server',
    );
  });
});

test('sessions that the pooler opened before the role got its settings are replaced', async () => {
  const databaseUrl = await createDatabase();
  const sessions = 4;
  const poolerUrl = await startTestPgbouncer(databaseUrl, { settings: { min_pool_size: sessions } });
  const readPid = async () =>
    (await query<{ pid: number }>(poolerUrl, 'select pg_backend_pid() as pid'))[0]?.pid;
  const pidBefore = await readPid();
  const env = { DATABASE_URL: databaseUrl, BADGE_POOLER_URL: poolerUrl, BADGE_DATA_DIR: await makeDataDir() };
  const service = await startTestBadge(env);
  // Whatever meets such a session first ends it, and fails: a query of the start, or a request.
  const statuses: unknown[] = [];
  while (statuses.length <= sessions && statuses.at(-1) !== 'success') {
    statuses.push(await createToken(service));
  }
  expect([...new Set(statuses.slice(0, -1)), statuses.at(-1)]).toEqual(
    statuses.length === 1 ? ['success'] : [503, 'success'],
  );
  expect(await readPid()).not.toBe(pidBefore);
  expect(await listProblems(env)).toEqual([]);
});

test('a pooler that overrides a setting is refused, and doctor names the setting', async () => {
  const databaseUrl = await createDatabase();
  const connectQuery = "set synchronous_commit = 'off'";
  const env = {
    DATABASE_URL: databaseUrl,
    BADGE_POOLER_URL: await startTestPgbouncer(databaseUrl, { connectQuery }),
    BADGE_DATA_DIR: await makeDataDir(),
  };
  const found = 'A session of the pooler has synchronous_commit = off instead of on';
  expect(await readStartError(env)).toContain(`${found}. Run "npm run migrate".`);
  expect(await listProblems(env)).toEqual([expect.stringContaining(`BADGE_POOLER_URL: ${found}`)]);
});

test('a pooler in statement mode is refused', async () => {
  const databaseUrl = await createDatabase();
  const poolerUrl = await startTestPgbouncer(databaseUrl, { settings: { pool_mode: 'statement' } });
  const env = { DATABASE_URL: databaseUrl, BADGE_POOLER_URL: poolerUrl, BADGE_DATA_DIR: await makeDataDir() };
  expect(await readStartError(env)).toContain('transaction blocks not allowed in statement pooling mode');
});

test('reads return 503 while the pooler leads to a standby, and succeed again when it leads to the primary', async () => {
  const servers = await startReplicatedServers();
  onTestFinished(() => servers.remove());
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const env = {
    DATABASE_URL: servers.primaryUrl,
    BADGE_POOLER_URL: await startTestPgbouncer(proxy.url),
    BADGE_DATA_DIR: await makeDataDir(),
  };
  const service = await startTestBadge(env);
  const readReadiness = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return [response.status, ((await response.json()) as { detail?: string }).detail];
  };
  const readTokens = async () => (await fetch(`${service.url}/v1/tokens`)).status;
  expect(await createToken(service)).toBe('success');

  proxy.redirectAll(databaseTarget(servers.standbyUrl));
  await vi.waitFor(async () => {
    expect(await readReadiness()).toEqual([503, 'BADGE_POOLER_URL leads to a read-only server.']);
  }, WAIT_OPTIONS);
  for (let read = 0; read < 5; read += 1) expect(await readTokens()).toBe(503);

  // The pooler's sessions on the standby stay open until the service ends them.
  proxy.redirectNewConnections(databaseTarget(servers.primaryUrl));
  await vi.waitFor(async () => expect(await readReadiness()).toEqual([200, undefined]), WAIT_OPTIONS);
  await vi.waitFor(async () => expect(await readTokens()).toBe(200), WAIT_OPTIONS);
  expect(await createToken(service)).toBe('success');
});
