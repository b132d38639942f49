import { once } from 'node:events';
import { startService } from '../app.ts';
import type { Config } from '../config.ts';
import { printBanner } from './banner.ts';

// The exit can take another second, to write the rest of the log.
const STOP_TIMEOUT_MS = 39_000;

/** Runs the service until SIGINT, SIGTERM or SIGHUP, then stops it gracefully. */
export async function serve(config: Config): Promise<number> {
  const stopSignal = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  // npm forwards Ctrl-C, so the process receives it twice. Further signals must not interrupt the stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const hangUp = once(process, 'SIGHUP');

  const service = await startService(config);
  try {
    if (config.role !== 'worker') printBanner(config, service);
    await Promise.race([stopSignal, hangUp]);
  } catch (error) {
    await service.stop();
    throw error;
  }

  service.context.log.info('stopping');
  const deadline = setTimeout(() => {
    service.context.log.error('the stop timed out');
    process.exit(1);
  }, STOP_TIMEOUT_MS);
  await service.stop();
  // Not cleared: a connection to a frozen database may still keep the process from exiting.
  deadline.unref();
  service.context.log.info('stopped');
  return 0;
}
