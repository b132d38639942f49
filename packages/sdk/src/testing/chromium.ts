import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findChromium } from '@badge/test-support/chromium';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';
import { buildSdk } from '../../build.ts';

const CONTENT_TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript' };

/**
 * Opens a page in headless Chromium and returns what it posts to `/result`. Besides the given `scripts`, it
 * can load `/sdk.js`, the built SDK, and `/wallet.js`, which sets `window.ethereum`.
 */
export async function openPage(html: string, scripts: Record<string, string> = {}): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'badge-chromium-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const sdkDir = join(dir, 'sdk');
  await buildSdk(sdkDir);
  const files: Record<string, string> = {
    '/': html,
    '/sdk.js': await bundle(join(sdkDir, 'index.js')),
    '/wallet.js': await bundle(join(import.meta.dirname, 'page-wallet.ts')),
    ...scripts,
  };

  const posted = Promise.withResolvers<string>();
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    if (method === 'POST' && url === '/result') posted.resolve(await text(request));
    const type = CONTENT_TYPES[url === '/' ? 'html' : (url.split('.').at(-1) ?? '')] ?? 'text/plain';
    response.writeHead(url in files ? 200 : 404, { 'Content-Type': type }).end(files[url]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const chromium = spawn(
    findChromium() ?? '',
    [...flags, `--user-data-dir=${join(dir, 'profile')}`, `http://127.0.0.1:${port}/`],
    {
      stdio: 'ignore',
      detached: true,
    },
  );
  const exited = once(chromium, 'exit');
  try {
    return await Promise.race([
      posted.promise,
      exited.then(([code]) => Promise.reject(new Error(`Chromium exited with ${code}`))),
    ]);
  } finally {
    // Kills all processes of Chromium, which are in a process group of their own.
    if (chromium.exitCode === null && chromium.pid !== undefined) process.kill(-chromium.pid, 'SIGKILL');
    await exited;
    server.closeAllConnections();
    server.close();
  }
}

async function bundle(input: string): Promise<string> {
  const build = await rolldown({ input, platform: 'browser' });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}
