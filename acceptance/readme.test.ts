import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

test('the README lists the fields of an operation', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, fields = ''] = /\{(operationId, .*?)\}/.exec(readme) ?? [];
  expect(fields.split(', ')).toEqual(
    Object.keys(inject('openApi').components.schemas.Operation?.properties ?? {}),
  );
});

test("the README's script creates a token", async () => {
  const root = new URL('..', import.meta.url);
  const readme = await readFile(new URL('README.md', root), 'utf8');
  const [, script = ''] = /```js\n([\s\S]+?)```/.exec(readme) ?? [];
  const env = { ...process.env, BADGE_URL: inject('baseUrl'), BADGE_API_KEY: inject('apiKey') };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    env,
  });
  const [status, tokenUrl = ''] = stdout.trim().split(' ');
  expect(status).toBe('success');
  expect(await (await fetch(tokenUrl)).json()).toMatchObject({
    headline: 'Speaker 2026',
    communityId: 'demo',
  });
});
