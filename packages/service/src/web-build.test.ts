import { expect, test } from 'vitest';
import { CONSOLE_SCRIPT_PATH, makeWebBuild, SCRIPT, SCRIPT_PATH, SDK_PATH } from './testing/web-builds.ts';
import { readWebBuild } from './web-build.ts';

test('readWebBuild reads the HTML without its title and description, and every other file', async () => {
  const build = await makeWebBuild();
  expect(build?.html.start).toMatch(/<head>\s*$/);
  expect(build?.html.end).toContain('<div id="root">');
  expect(`${build?.html.start}${build?.html.end}`).not.toMatch(/<title>|description/);
  expect(build?.consoleHtml.end).toContain('<div id="root">');
  expect([...(build?.files.keys() ?? [])].sort()).toEqual([
    CONSOLE_SCRIPT_PATH,
    SCRIPT_PATH,
    '/favicon.svg',
    '/sdk-0.9.0.tgz',
    SDK_PATH,
  ]);
  expect(build?.files.get(SCRIPT_PATH)).toMatchObject({
    contentType: 'text/javascript; charset=utf-8',
    bytes: Buffer.from(SCRIPT),
    compressed: { br: expect.any(Buffer), gzip: expect.any(Buffer) },
  });
});

test('readWebBuild returns null if the pages are not built', async () => {
  expect(await readWebBuild('/nonexistent')).toBeNull();
  expect(await makeWebBuild({})).toBeNull();
  const withoutConsole = { '/index.html': '<!doctype html><title>Badge</title>' };
  expect(await makeWebBuild(withoutConsole)).toBeNull();
});

test('readWebBuild rejects HTML without a title, because the service could not replace it', async () => {
  await expect(makeWebBuild({ '/index.html': '<!doctype html>', '/console.html': '' })).rejects.toThrow(
    'must have one title',
  );
});
