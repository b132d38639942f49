import { readLog } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { expect, test } from 'vitest';
import { VERSION } from './version.ts';

test('a process says its version in each place, and warns of a misspelt variable without its value', async () => {
  const service = await startTestBadge({
    DATABASE_URL: await createDatabase(),
    BADGE_DATA_DIR: await makeDataDir(),
    BADGE_RATE_LIMITS: 'secret-value',
  });
  expect(service.output.stdout).toContain('BADGE_RATE_LIMITS is not a variable of the service');
  expect(readLog(service.output.stderr)).toContainEqual(
    expect.objectContaining({ level: 40, variable: 'BADGE_RATE_LIMITS', nearest: 'BADGE_RATE_LIMIT' }),
  );
  expect(service.output.stdout + service.output.stderr).not.toContain('secret-value');
  expect(service.output.stdout).toContain(`  Badge ${VERSION} (sandbox) is at `);
  expect(readLog(service.output.stderr)[0]).toMatchObject({
    msg: 'starting',
    version: VERSION,
    node: process.versions.node,
    role: 'all',
  });
  const read = async (path: string) => await (await fetch(service.url + path)).json();
  expect(await read('/healthz')).toEqual({ status: 'ok', version: VERSION });
  expect(await read('/v1/environment')).toMatchObject({ version: VERSION });
  expect(await read('/openapi.json')).toMatchObject({ info: { version: VERSION } });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain(
    `badge_build_info{version="${VERSION}",node="${process.versions.node}",role="all"} 1`,
  );
});
