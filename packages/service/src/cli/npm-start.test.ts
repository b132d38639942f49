import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken } from '../testing/creations.ts';
import {
  type BadgeService,
  expectCleanStop,
  expectNothingRuns,
  findProcesses,
  makeDataDir,
  startBadge,
} from '../testing/processes.ts';

test.for([
  { way: "a terminal's Ctrl-C", stop: (npm: BadgeService) => npm.endGroup('SIGINT') },
  { way: 'SIGTERM to npm alone', stop: (npm: BadgeService) => npm.end('SIGTERM') },
])('$way stops what `npm start` has started', async ({ stop }) => {
  const dataDir = await makeDataDir();
  const settings = { npm_config_cache: join(dirname(dataDir), 'npm'), npm_config_update_notifier: 'false' };
  const npm = await startBadge(
    { BADGE_DATA_DIR: dataDir, ...settings },
    { detached: true, command: ['npm', 'start'] },
  );
  await createToken(npm);
  expect(await findProcesses(dataDir)).not.toEqual([]);
  await stop(npm);
  expectCleanStop(npm);
  await expectNothingRuns(dataDir);
});
