import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BadgeService } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { startTestBadge } from '@badge/test-support/fixtures';
import { describe, expect, onTestFinished, test } from 'vitest';

const REQUESTS = 25_000;

/** Returns a descriptor of /dev/full, where every write fails as on a full disk. */
function openFullDisk(): number {
  const fd = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** Returns the writing end of a pipe whose reading end is open, but never read. */
async function openStalledPipe(): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'badge-pipe-'));
  const path = join(dir, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  const fds = [openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), openSync(path, 'w')];
  onTestFinished(async () => {
    for (const fd of fds) closeSync(fd);
    await rm(dir, { recursive: true });
  });
  return fds[1] ?? 0;
}

/** Sends 25,000 requests, each of which is logged, on one connection, and waits for all responses. */
async function sendRequests({ url }: BadgeService): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  // The service allows 10 requests in progress on a connection.
  const requests = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10);
  let responses = 0;
  let sent = 10;
  // A chunk can end in the middle of a response.
  let rest = '';
  socket.write(requests);
  for await (const chunk of socket) {
    const parts = (rest + chunk).split('"status":"ok"');
    rest = parts.pop() ?? '';
    responses += parts.length;
    if (responses >= REQUESTS) return;
    if (responses === sent) {
      sent += 10;
      socket.write(requests);
    }
  }
  throw new Error(`the connection was closed after ${responses} responses`);
}

async function countDroppedLines({ url }: BadgeService): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^badge_log_dropped_lines_total (\d+)$/m.exec(metrics)?.[1]);
}

const OUTPUTS = [
  ['a full disk', openFullDisk],
  ['a pipe whose reader stalls', openStalledPipe],
] as const;

describe.each(OUTPUTS)('with %s', (_title, open) => {
  test('as stderr, requests get responses, dropped lines are counted, and SIGTERM stops the process', async () => {
    const DATABASE_URL = await createDatabase();
    const service = await startTestBadge({ DATABASE_URL }, { stderr: await open() });
    await sendRequests(service);
    expect(await countDroppedLines(service)).toBeGreaterThan(0);
    await service.stop();
  });

  test('as stdout, the service starts and stops', async () => {
    const DATABASE_URL = await createDatabase();
    const service = await startTestBadge({ DATABASE_URL }, { stdout: await open() });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.stop();
  });
});

test('an invalid configuration ends the process with exit code 2 even if stderr is a full disk', async () => {
  const service = startTestBadge({ BADGE_ROLE: 'none' }, { stderr: openFullDisk() });
  await expect(service).rejects.toThrow('the process ended too early (2)');
});

test('under load, every log line is written completely or counted as dropped', async () => {
  const DATABASE_URL = await createDatabase();
  const service = await startTestBadge({ DATABASE_URL });
  await sendRequests(service);
  const droppedLines = await countDroppedLines(service);
  await service.stop();
  const lines = service.output.stderr.trimEnd().split('\n');
  expect(lines.length + droppedLines).toBeGreaterThan(REQUESTS);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

// The test limits the log file to 512 or 1,024 bytes, depending on the shell. So the line of b's is cut and
// the c is lost. After the test has truncated the file, the logger writes the d.
const LIMITED_LOGGER = `
  const { stderr } = await import(process.argv[1]);
  stderr.write('a'.repeat(400) + '\\n');
  stderr.write('b'.repeat(1_000) + '\\n');
  stderr.write('c\\n');
  process.stdout.write('the file is full');
  process.stdin.once('data', () => {
    stderr.write('d\\n');
    process.stdin.unref();
  });`;

test('if the last line of the log was cut, the next line begins with a line break', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'badge-log-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const log = join(dir, 'log');
  const command = 'ulimit -S -f 1; exec "$0" --input-type=module -e "$1" "$2" 2>> "$3"';
  const output = new URL('../../src/output.ts', import.meta.url).href;
  const logger = spawn('sh', ['-c', command, process.execPath, LIMITED_LOGGER, output, log]);
  onTestFinished(() => void logger.kill('SIGKILL'));
  await once(logger.stdout, 'data');
  await truncate(log, 450);
  logger.stdin.end('go on');
  await once(logger, 'exit');
  // 49 of the b's are within the first 450 bytes.
  expect(await readFile(log, 'utf8')).toBe(`${'a'.repeat(400)}\n${'b'.repeat(49)}\nd\n`);
});
