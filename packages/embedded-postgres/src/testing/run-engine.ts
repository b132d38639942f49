import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../embedded-postgres.ts';

// A service of its own process, for tests that kill one. Arguments: data directory, launcher choice as JSON.
const [dataDir = '', launcherChoice = '{}'] = process.argv.slice(2);
const print = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const log = {
  info: (details: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  warn: (details: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  error: (details: object, message: string) =>
    process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
};

try {
  const engine = await startEmbeddedPostgres({ dataDir, log, launcherChoice: JSON.parse(launcherChoice) });
  process.once('SIGTERM', async () => {
    await engine.stop();
    print({ state: 'stopped' });
    process.exit(0);
  });
  process.on('SIGINT', () => print({ state: 'interrupted' }));
  print({ state: 'running', connection: engine.connection });
  await wait(600_000);
} catch (error) {
  print({ state: 'refused', name: (error as Error).name, message: (error as Error).message });
  process.exit(1);
}
