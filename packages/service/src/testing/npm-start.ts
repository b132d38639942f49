import { dirname, join } from 'node:path';
import type { BadgeService } from '@badge/test-support/badge-process';
import {
  expectCleanStop,
  expectNothingRuns,
  findProcesses,
  makeDataDir,
  startTestBadge,
} from '@badge/test-support/fixtures';
import { expect } from 'vitest';
import { createToken } from './creations.ts';

export async function expectCompleteStop(stop: (npm: BadgeService) => Promise<unknown>): Promise<void> {
  const dataDir = await makeDataDir();
  const settings = { npm_config_cache: join(dirname(dataDir), 'npm'), npm_config_update_notifier: 'false' };
  const npm = await startTestBadge(
    { BADGE_DATA_DIR: dataDir, ...settings },
    { detached: true, program: ['npm', 'start'] },
  );
  await createToken(npm);
  expect(await findProcesses(dataDir)).not.toEqual([]);
  await stop(npm);
  expectCleanStop(npm);
  await expectNothingRuns(dataDir);
}
