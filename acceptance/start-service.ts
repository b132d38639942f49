import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const startDeadlineMs = 60_000;
const stopDeadlineMs = 20_000;

export interface RunningService {
  baseUrl: string;
  apiKey: string;
  adminKey: string;
  stop: () => Promise<void>;
}

function readBanner(child: ChildProcess): Promise<{ baseUrl: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => reject(new Error(`the service ${reason}; it printed:\n${output}`));
    const deadline = setTimeout(() => fail(`showed no banner in ${startDeadlineMs} ms`), startDeadlineMs);
    child.once('error', reject);
    child.once('exit', (code) => fail(`ended with code ${code}`));
    const readChunk = (chunk: Buffer) => {
      output += chunk.toString();
      const baseUrl = output.match(/http:\/\/localhost:\d+(?=\D)/)?.[0];
      const apiKey = output.match(/badge_sandbox_[A-Za-z0-9]+(?=[^A-Za-z0-9])/)?.[0];
      if (!baseUrl || !apiKey) return;
      clearTimeout(deadline);
      child.stdout?.off('data', readChunk).resume();
      resolve({ baseUrl, apiKey });
    };
    child.stdout?.on('data', readChunk);
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, stopDeadlineMs);
  await exit;
  clearTimeout(deadline);
  if (isLate) throw new Error(`the service did not stop within ${stopDeadlineMs} ms of SIGTERM`);
}

/** Starts the sandbox on a free port and a fresh data directory, as a process of its own. */
export async function startService(): Promise<RunningService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'badge acceptance '));
  const { BADGE_DEMO_API_KEY: _demoKey, BADGE_ADMIN_KEY: _adminKey, ...inherited } = process.env;
  const child = spawn(process.execPath, ['packages/service/src/main.ts', 'serve'], {
    cwd: path.join(import.meta.dirname, '..'),
    env: { ...inherited, PORT: '0', BADGE_DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await stopChild(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const banner = await readBanner(child);
    const adminKey = (await readFile(path.join(dataDir, 'admin-key'), 'utf8')).trim();
    return { ...banner, adminKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
