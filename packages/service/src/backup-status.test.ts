import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBackupStatus } from './backup-status.ts';
import { readConfig } from './config.ts';
import { inspectBackup } from './doctor/inspect-backup.ts';

const NOW_MS = Date.UTC(2026, 0, 31);
const HOUR_SECONDS = 3_600;

// What back-up.sh writes. deploy/tests/backup.test.ts runs the script itself.
const statusText = (fields: Record<string, string | number>, ageHours = 1, now = NOW_MS) => {
  const at = Math.floor(now / 1_000) - ageHours * HOUR_SECONDS;
  const all = {
    status: 'success',
    reason: '',
    at,
    success_at: at,
    success_bytes: 5,
    archive_bytes: 6,
    ...fields,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};

async function writeStatus(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-backup-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'status'), text);
  return join(directory, 'status');
}

test.each([
  ['good', {}, 47, []],
  ['old', {}, 49, ['tooOld']],
  ['failed', { status: 'failed', reason: 'the disk = full' }, 1, ['failed']],
  ['failed and old', { status: 'failed' }, 49, ['failed', 'tooOld']],
  ['never good', { status: 'tooSmall', success_at: '' }, 1, ['tooSmall', 'tooOld']],
  ['unreadable', { status: 'unreadable' }, 1, ['unreadable']],
])('a backup that is %s', async (_, fields, ageHours, problems) => {
  const status = await readBackupStatus(await writeStatus(statusText(fields, ageHours)), NOW_MS);
  expect(status).toMatchObject({ problems, reason: (fields as { reason?: string }).reason ?? '' });
});

test.each(['', 'status=success\n', 'status=fine\nat=1\n', 'status=success\nat=soon\n'])(
  'the status %j is unknown',
  async (text) => {
    const { problems } = await readBackupStatus(await writeStatus(text), NOW_MS);
    expect(problems).toEqual(['unknown']);
  },
);

test('doctor says nothing without a status file, and names what is wrong with one', async () => {
  expect(await inspectBackup(readConfig({}))).toEqual([]);
  const inspect = async (text: string) =>
    await inspectBackup(readConfig({ BADGE_BACKUP_STATUS_FILE: await writeStatus(text) }));
  expect(await inspect(statusText({}, 1, Date.now()))).toMatchObject([{ level: 'ok' }]);
  expect(await inspect(statusText({ status: 'failed', reason: 'no space' }, 1, Date.now()))).toMatchObject([
    { level: 'problem', found: expect.stringContaining('no space') },
  ]);
  expect(await inspect(statusText({}, 49, Date.now()))).toMatchObject([
    { level: 'problem', found: expect.stringContaining('more than two days old') },
  ]);
  expect(await inspectBackup(readConfig({ BADGE_BACKUP_STATUS_FILE: '/nowhere/status' }))).toMatchObject([
    { level: 'warning', found: expect.stringContaining('no backup has run') },
  ]);
});
