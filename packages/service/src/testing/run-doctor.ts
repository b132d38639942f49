import { spawnTestBadge } from '@badge/test-support/fixtures';
import { expect } from 'vitest';

const command = 'doctor';
// These checks depend on the free space of the machine that runs the test.
const MACHINE_DEPENDENT = /^\w+ +(data directory|upload directory)/;

/**
 * Runs doctor. `complaints` has the level and the name of each check that is not ok, except those in
 * `MACHINE_DEPENDENT`. `text` is all that doctor printed.
 */
export async function runDoctor(env: Record<string, string>, options: { uid?: number; gid?: number } = {}) {
  const badge = spawnTestBadge(env, { command, ...options });
  const exitCode = await badge.closed;
  expect(badge.output.stderr).toBe('');
  const lines = badge.output.stdout.trimEnd().split('\n');
  const complaints = lines
    .slice(0, -1)
    .filter((line) => !line.startsWith('ok ') && !MACHINE_DEPENDENT.test(line))
    .map((line) => line.split(':')[0]?.replace(/ +/, ' '));
  return { exitCode, complaints, text: badge.output.stdout };
}
