import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test.skipIf(process.platform !== 'linux')(
  'badge.js sets the variables that limit the memory of glibc and Node, except those that are already set',
  async () => {
    const badge = fileURLToPath(new URL('../../badge.js', import.meta.url));
    // badge.js replaces its process by one with these variables. The new process keeps the id.
    const codeToPrintVariables = `process.once('exit', () => {
    const { pid, env: { MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, NODE_OPTIONS } } = process;
    process.stderr.write(JSON.stringify({ pid, MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, NODE_OPTIONS }));
  })`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(codeToPrintVariables)}`,
      badge,
      '--help',
    ];
    const running = promisify(execFile)(process.execPath, args, { env: { MALLOC_ARENA_MAX: '7' } });
    const { stdout, stderr } = await running;
    expect(stdout).toContain('npm start');
    expect(JSON.parse(stderr)).toEqual({
      pid: running.child.pid,
      MALLOC_ARENA_MAX: '7',
      MALLOC_MMAP_THRESHOLD_: '131072',
      NODE_OPTIONS: '--max-semi-space-size=16',
    });
  },
);
