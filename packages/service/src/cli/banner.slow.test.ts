import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readLog } from '@badge/test-support/badge-process';
import { makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { expect, test } from 'vitest';
import { listTokens, readOperation } from '../testing/creations.ts';

const run = promisify(execFile);

// The command runs in another directory with no variable but PATH, as if it were pasted on another machine.
test.for(['sh', 'bash'])('the command that serve prints creates a token when %s runs it', async (shell) => {
  const dataDir = await makeDataDir("Ann's badge data");
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  // Without a match, the shell runs `false`, which fails.
  const [command = 'false'] = /^curl .*?(?=\n\n)/ms.exec(service.output.stdout) ?? [];
  expect(command).not.toContain(dataDir);
  const { stdout } = await run(shell, ['-c', command], { cwd: '/', env: { PATH: process.env.PATH } });
  expect(stdout).toMatch(/^HTTP\/1\.1 202 /);
  const location = /^location: (\S+)/im.exec(stdout)?.[1] ?? '';
  expect(await readOperation(service, location)).toMatchObject({ status: 'success', resourceId: 1 });
  expect(await listTokens(service)).toMatchObject([
    { tokenId: 1, headline: expect.stringMatching(/^My first badge/) },
  ]);
});

test('serve prints only the banner on stdout, only JSON on stderr, and no key except the demo key', async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir, LOG_LEVEL: 'trace' });
  const banner = service.output.stdout;
  const adminKeyFile = /in the file (.+)$/m.exec(banner)?.[1] ?? '';
  expect(adminKeyFile.startsWith(`${dataDir}/`)).toBe(true);
  expect((await stat(adminKeyFile)).mode & 0o777).toBe(0o600);
  const adminKey = (await readFile(adminKeyFile, 'utf8')).trim();
  expect(adminKey).toMatch(/^badge_admin_\w{36}$/);

  for (const key of [adminKey, service.apiKey, 'badge_sandbox_wrong']) {
    for (const headers of [{ Authorization: `Bearer ${key}` }, { 'X-API-Key': key }]) {
      const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } };
      const { status } = await fetch(`${service.url}/v1/tokens?apiKey=${key}`, {
        ...init,
        body: `{"${key}"`,
      });
      expect(status).toBe(key === 'badge_sandbox_wrong' ? 401 : 400);
    }
  }
  expect(await service.end('SIGTERM')).toBe(0);

  const { stdout, stderr } = service.output;
  expect(stdout).toBe(banner);
  expect(stdout).toContain(`${service.url.replace('127.0.0.1', 'localhost')}/docs`);
  expect(stdout).toContain(`/console#key=${service.apiKey}\n`);
  expect(stdout).not.toContain(adminKey);
  expect(stdout.split('\n').filter((line) => line.startsWith('{'))).toEqual([]);
  for (const line of stderr.trimEnd().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ pid: service.pid });
  // Three keys, each sent in two different headers.
  const completed = readLog(stderr).filter(({ msg }) => msg === 'request completed');
  expect(completed).toMatchObject(Array(6).fill({ method: 'POST', path: '/v1/tokens' }));
  // Only the two requests with the demo key are logged with an `apiKeyId`: the operator's key has no id, and
  // the wrong key is unknown.
  const loggedKeyIds = completed.flatMap(({ apiKeyId }) => apiKeyId ?? []);
  expect(loggedKeyIds).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
  for (const key of [adminKey, service.apiKey]) expect(stderr).not.toContain(key);
});
