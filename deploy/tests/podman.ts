import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The temporary directory of the run, with the images. deploy/tests/run.sh creates and removes it. */
export const STATE = process.env.BADGE_DEPLOY_STATE ?? '';
/** The variables that make podman use this directory. */
export const PODMAN_ENVIRONMENT = {
  ...process.env,
  // The health checks run when a test asks for it: there is no systemd to start them.
  DISABLE_HC_SYSTEMD: 'true',
  CONTAINERS_STORAGE_CONF: join(STATE, 'storage.conf'),
  CONTAINERS_CONF: join(STATE, 'containers.conf'),
};

/** Runs podman, and returns what it prints. Throws if it fails. */
export async function podman(...args: string[]): Promise<string> {
  const options = { env: PODMAN_ENVIRONMENT, maxBuffer: 64 * 1024 ** 2 };
  const { stdout, stderr } = await promisify(execFile)('podman', args, options);
  return args[0] === 'logs' ? stdout + stderr : stdout.trim();
}

/** What `podman inspect` says about an image or a container. */
export async function inspect<T>(name: string): Promise<T> {
  return JSON.parse(await podman('inspect', name))[0];
}

/** Whether the image of the commit before exists. In a shallow clone it does not. */
export const HAS_PREVIOUS = existsSync(join(STATE, 'has-previous'));

/** Waits until the condition is true. Throws after two minutes. */
export async function waitUntil(what: string, isTrue: () => Promise<boolean>, pollMs = 200): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`waited two minutes: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
