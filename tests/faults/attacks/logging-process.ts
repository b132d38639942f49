import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBadge } from '@badge/test-support/badge-process';
import type { System } from '../system/system.ts';
import type { BrokenLog } from './attack.ts';
import { ATTACKED_SERVICE } from './attacked-service.ts';

const STOP_LIMIT_MS = 40_000;

export interface LoggingProcess {
  url: string;
  pid: number;
  /** Sends SIGTERM and waits for the exit. Returns a problem if the exit code is not 0, otherwise null. */
  stop(): Promise<string | null>;
}

/** Starts another API process on the system's database, with a log that cannot be written. */
export async function startLoggingProcess(system: System, log: BrokenLog): Promise<LoggingProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-faults-log-'));
  const file = await openLog(log, directory);
  const cleanUp = async () => {
    await file.close();
    await rm(directory, { recursive: true, force: true });
  };
  const env = {
    ...ATTACKED_SERVICE,
    BADGE_ROLE: 'api',
    BADGE_DATA_DIR: directory,
    DATABASE_URL: system.databaseUrl,
    BADGE_ADMIN_KEY: system.adminKey,
    BADGE_DEMO_API_KEY: system.apiKey,
  };
  try {
    const service = await startBadge(env, { stderr: file.fd });
    return {
      url: service.url,
      pid: service.pid,
      async stop() {
        const killTimer = setTimeout(() => service.signal('SIGKILL'), STOP_LIMIT_MS);
        const end = await service.end('SIGTERM');
        clearTimeout(killTimer);
        await cleanUp();
        return end === 0 ? null : `the process with a ${log} log ended with ${end} after SIGTERM`;
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function openLog(log: BrokenLog, directory: string) {
  if (log === 'full') return await open('/dev/full', 'w');
  const path = join(directory, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  // Also opened for reading, because the pipe must have a reader. Nothing is ever read from it.
  return await open(path, constants.O_RDWR);
}
