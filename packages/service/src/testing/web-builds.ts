import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { VERSION } from '../version.ts';
import { readWebBuild, type WebBuild } from '../web-build.ts';

export const SCRIPT = 'console.log("a script of the web pages")';
export const SCRIPT_PATH = '/assets/index-1a2b3c4d.js';

export const CONSOLE_SCRIPT_PATH = '/assets/console-1a2b3c4d.js';

/** The path of the SDK's tarball. */
export const SDK_PATH = `/sdk-${VERSION}.tgz`;
export const TARBALL = gzipSync('the tarball of the SDK');
export const EARLIER_TARBALL = gzipSync('the tarball of an earlier SDK');

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <title>Badge</title>
    <meta name="description" content="The description of all pages." />
    <script type="module" crossorigin src="${SCRIPT_PATH}"></script>
  </head>
  <body><div id="root"></div></body>
</html>
`;

const FILES: Record<string, string | Buffer> = {
  '/index.html': HTML,
  '/console.html': HTML.replace(SCRIPT_PATH, CONSOLE_SCRIPT_PATH),
  [CONSOLE_SCRIPT_PATH]: SCRIPT,
  '/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  [SDK_PATH]: TARBALL,
  '/sdk-0.9.0.tgz': EARLIER_TARBALL,
  [SCRIPT_PATH]: SCRIPT,
  [`${SCRIPT_PATH}.br`]: brotliCompressSync(SCRIPT),
  [`${SCRIPT_PATH}.gz`]: gzipSync(SCRIPT),
};

/** Writes small web pages to a temporary directory and reads them, as the service does at its start. */
export async function makeWebBuild(files: Record<string, string | Buffer> = FILES): Promise<WebBuild | null> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-web-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content);
    }
    return await readWebBuild(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}
