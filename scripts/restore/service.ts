import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../packages/service/src/main.ts', import.meta.url));
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface BadgeService {
  url: string;
  stop(): Promise<void>;
}

/** Starts `badge serve` on a free port, as a process of its own. */
export async function startBadge(env: Record<string, string>): Promise<BadgeService> {
  const child = spawnBadge('serve', { PORT: '0', LOG_LEVEL: 'silent', ...env });
  const exit = once(child, 'exit');
  let banner = '';
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    banner += text;
    if (banner.endsWith('\n\n')) break;
  }
  const [, port] = /curl -i http:\/\/localhost:(\d+)/.exec(banner) ?? [];
  if (port === undefined) throw new Error('the service did not start');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exit;
      if (code !== 0) throw new Error(`the service stopped with ${code}`);
    },
  };
}

/** Runs another command of `badge` to its end; answers its exit code. */
export async function runBadge(command: string, env: Record<string, string>): Promise<number> {
  const child = spawnBadge(command, { LOG_LEVEL: 'silent', ...env });
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  return code;
}

function spawnBadge(command: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, command], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
