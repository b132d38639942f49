import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../embedded-postgres.ts';

// A process that owns a server, for tests that kill it. Arguments: data directory, launcher choice as JSON.
// The process prints one JSON message per line to stdout, and its log to stderr.
const [dataDir = '', launcherChoice = '{}'] = process.argv.slice(2);
const print = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const write = (details: object, message: string) =>
  process.stderr.write(`${message} ${JSON.stringify(details)}\n`);

try {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    name: 'test',
    log: { info: write, warn: write, error: write },
    launcherChoice: JSON.parse(launcherChoice),
  });
  process.once('SIGTERM', async () => {
    await postgres.stop();
    print({ state: 'stopped' });
    process.exit(0);
  });
  process.on('SIGINT', () => print({ state: 'interrupted' }));
  print({ state: 'running', connection: postgres.connection });
  await wait(600_000);
} catch (error) {
  print({ state: 'failed', name: (error as Error).name, message: (error as Error).message });
  process.exit(1);
}
