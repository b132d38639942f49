import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { captureOutput } from '../testing/capture-output.ts';
import { VERSION } from '../version.ts';
import { runCli } from './cli.ts';

const printed = captureOutput();

test.each(['--help', '-h', 'serve --help'])('badge %s prints the usage', async (args) => {
  expect(await runCli(args.split(' '))).toBe(0);
  expect(printed.stdout).toMatch(/npm start.+\n.+npm run migrate.+\n.+npm run -s schema.+\n.+npm run doctor/);
  expect(printed.stderr).toBe('');
});

test.each(['--version', '-v', 'serve --version'])('badge %s prints the version', async (args) => {
  expect(await runCli(args.split(' '))).toBe(0);
  expect(printed).toEqual({ stdout: `${VERSION}\n`, stderr: '' });
});

const REFUSED = [
  ...['start', 'serve now', 'migrate serve', 'doctor serve', 'serve --wait', 'export', 'import a b'],
  'serve --community a',
  ...['import --dry-run a', 'import --from csv', 'export --from csv a', 'serve --offline'],
  ...['import --from csv --creator 0x12 a', 'import --community a b'],
  ...['export --identity a b', 'import --identity a b'],
];

test.each(REFUSED)('badge %s prints the usage and fails', async (args) => {
  expect(await runCli(args.split(' '))).toBe(2);
  expect(printed.stderr).toContain('npm start');
  expect(printed.stdout).toBe('');
});

test('an unknown format is an error whose message names the formats', async () => {
  expect(await runCli(['import', '--from', 'paper', 'a'])).toBe(2);
  expect(printed.stderr).toBe(
    'badge: --from "paper" is no format; the formats are badge, listings, poap, openbadges, csv\n',
  );
});

test.each([
  ['export --people plain a', '--people and --recipient are options of export with --community ID'],
  ['import --people plain a', '--people and --recipient are options of export with --community ID'],
  ['export --community a --people all b', '--people must be none, plain or encrypted'],
  ['export --community a --people encrypted b', '--people encrypted needs the key of whoever can read them'],
  ['export --community a --recipient age1 b', '--recipient is an option of --people encrypted'],
])('badge %s says what is wrong and fails', async (args, message) => {
  expect(await runCli(args.split(' '))).toBe(2);
  expect(printed.stderr).toMatch(/^badge: .+\n$/);
  expect(printed.stderr).toContain(message);
});

test('an unknown option is an error whose message names the option', async () => {
  expect(await runCli(['--port=80'])).not.toBe(0);
  expect(printed.stderr).toMatch(/^badge: .*--port/);
});

test.each(['serve', 'migrate'])('%s names every invalid variable, and returns 2', async (command) => {
  vi.stubEnv('PORT', 'http');
  vi.stubEnv('LOG_LEVEL', 'loud');
  expect(await runCli([command])).toBe(2);
  expect(printed.stderr).toMatch(/^badge: PORT must be .+; LOG_LEVEL must be .+\n$/);
});

test('migrate --wait needs a database of several processes', async () => {
  vi.stubEnv('DATABASE_URL', '');
  expect(await runCli(['migrate', '--wait'])).toBe(2);
  expect(printed.stderr).toMatch(/^badge: DATABASE_URL must be set for --wait/);
});

test('migrate reports an unreachable database without a stack trace', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('DATABASE_URL', 'postgres://badge:secret@127.0.0.1:1/badge');
  vi.stubEnv('BADGE_DATABASE_WAIT', '0');
  expect(await runCli(['migrate'])).toBe(1);
  expect(printed.stderr).toMatch(/^badge: connect ECONNREFUSED 127\.0\.0\.1:1\n$/);
});

test('import says what is wrong with a file', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  expect(await runCli(['import', fileURLToPath(import.meta.url)])).toBe(1);
  expect(printed.stderr).toBe('badge: the file is not an archive (tar)\n');
});

test('export says why there is no archive', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('BADGE_DATA_DIR', '/nonexistent/badge');
  expect(await runCli(['export', '/nonexistent/badge.tar'])).toBe(1);
  expect(printed.stderr).toBe('badge: there is no database in /nonexistent/badge\n');
});

test.each(['20.20.2', '22.17.1'])('badge.js rejects Node %s with a clear message', async (version) => {
  const badge = fileURLToPath(new URL('../../badge.js', import.meta.url));
  const codeToSetVersion = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const run = promisify(execFile)(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(codeToSetVersion)}`,
    badge,
  ]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^badge: Node [\d.]+ is too old: install 22\.18 or newer\. .+\n$/),
  });
});
