import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The temporary directory of the run, with the images. deploy/tests/run.sh creates and removes it. */
export const STATE = process.env.BADGE_DEPLOY_STATE ?? '';
const env = {
  ...process.env,
  CONTAINERS_STORAGE_CONF: join(STATE, 'storage.conf'),
  CONTAINERS_CONF: join(STATE, 'containers.conf'),
};

/** Runs podman, and returns what it prints. Throws if it fails. */
export async function podman(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('podman', args, { env, maxBuffer: 64 * 1024 ** 2 });
  return args[0] === 'logs' ? stdout + stderr : stdout.trim();
}

/** What `podman inspect` says about an image or a container. */
export async function inspect<T>(name: string): Promise<T> {
  return JSON.parse(await podman('inspect', name))[0];
}

/** Waits until the condition is true. Throws after two minutes. */
export async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`waited two minutes: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
