import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');

/** Runs the demo with a temporary directory of its own. */
export async function runDemo(args: string[] = [], env: Record<string, string> = {}) {
  const temporaryDir = await mkdtemp(join(tmpdir(), 'badge-demo-test-'));
  onTestFinished(() => rm(temporaryDir, { recursive: true }));
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { PATH, TMPDIR: temporaryDir, NO_COLOR: '1', ...env },
  });
  return { stdout, temporaryDir };
}

export function expectAllSteps(stdout: string): void {
  const success = / pending → success after \d+ ms/g;
  // Two creations and four claims succeed.
  expect([...stdout.matchAll(success)]).toHaveLength(6);
  expect(stdout).toMatch(/Eve claims +NoTokensLeft: /);
  expect(stdout).toMatch(/Eve claims +AddressNotAllowlisted: /);
  expect(stdout).toMatch(/http:\S+\/claim\/\d+#\w{26}\n +Speaker +Eve claims by code +pending → success/);
  expect(stdout).toMatch(/The wallet of Ada.*\n.*\n +\d+ +Guest +claimed .*\n +\d+ +Speaker +claimed /);
  expect(stdout).toMatch(/The wallet of Ben.*\n.*\n +\d+ +Guest +claimed .*\n +\d+ +Speaker +unclaimed /);
}
