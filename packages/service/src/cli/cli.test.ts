import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCli } from './cli.ts';

const printed = { stdout: '', stderr: '' };

beforeEach(() => {
  for (const stream of ['stdout', 'stderr'] as const) {
    printed[stream] = '';
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each([['--help'], ['-h'], ['serve', '--help']])('%s prints the usage', async (...args) => {
  expect(await runCli(args)).toBe(0);
  expect(printed.stdout).toMatch(/badge serve.+\n.+badge migrate.+\n.+badge doctor/);
  expect(printed.stderr).toBe('');
});

test.each([['start'], ['serve', 'now'], ['migrate', 'serve'], ['doctor', 'serve']])(
  '%s %s is answered with the usage',
  async (...args) => {
    expect(await runCli(args)).toBe(2);
    expect(printed.stderr).toContain('badge serve');
    expect(printed.stdout).toBe('');
  },
);

test('an unknown option is named', async () => {
  expect(await runCli(['--port=80'])).not.toBe(0);
  expect(printed.stderr).toMatch(/^badge: .*--port/);
});

test.each(['serve', 'migrate'])('%s names every bad variable, and starts nothing', async (command) => {
  vi.stubEnv('PORT', 'http');
  vi.stubEnv('LOG_LEVEL', 'loud');
  expect(await runCli([command])).toBe(2);
  expect(printed.stderr).toMatch(/^badge: PORT must be .+; LOG_LEVEL must be .+\n$/);
});

test('a database that does not answer is told without a stack', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('DATABASE_URL', 'postgres://badge:secret@127.0.0.1:1/badge');
  expect(await runCli(['migrate'])).toBe(1);
  expect(printed.stderr).toMatch(/^badge: connect ECONNREFUSED 127\.0\.0\.1:1\n$/);
});
