import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../packages/service/src/testing/services.ts';

const ROOT = join(import.meta.dirname, '..');
const README = await readFile(join(ROOT, 'README.md'), 'utf8');

test("the README's script creates and claims a badge", async () => {
  const service = await startTestService();
  onTestFinished(async () => await service.stop());
  const [, script = ''] = /```js\n([\s\S]+?)```/.exec(README) ?? [];
  const env = { ...process.env, BADGE_URL: service.url, BADGE_API_KEY: service.apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    env,
  });
  const { pathname, searchParams } = new URL(stdout.trim());
  expect(await (await service.call(`/v1${pathname.replace('token', 'tokens')}`)).json()).toMatchObject({
    headline: 'Speaker 2026',
    communityId: 'demo',
    claimedCount: 1,
  });
  expect(searchParams.get('owner')).toMatch(/^0x\w{40}$/);
});

test('the README can be read in three minutes, with pictures that load fast', async () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(800);
  const pictures = [...README.matchAll(/!\[[^\]]+\]\((docs\/[^)]+)\)/g)].map(([, path = '']) => path);
  expect(pictures).toHaveLength(2);
  for (const path of pictures) expect((await readFile(join(ROOT, path))).length).toBeLessThan(150_000);
});
