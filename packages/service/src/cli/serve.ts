import { once } from 'node:events';
import { startService } from '../app.ts';
import type { Config } from '../config.ts';
import { printBanner } from './banner.ts';

const LONGEST_STOP_MS = 40_000;

/** Runs the service until SIGINT or SIGTERM, then stops it without losing what is in flight. */
export async function serve(config: Config): Promise<number> {
  const stopAsked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  // npm passes a terminal's Ctrl-C on a second time: further signals must not cut the stop short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const hangUp = once(process, 'SIGHUP');

  const service = await startService(config);
  try {
    if (config.role !== 'worker') await printBanner(config, service);
    await Promise.race([stopAsked, hangUp]);
  } catch (error) {
    await service.stop();
    throw error;
  }

  service.context.log.info('stopping');
  const deadline = setTimeout(() => {
    service.context.log.error('the stop took too long');
    process.exit(1);
  }, LONGEST_STOP_MS);
  await service.stop();
  // Kept, so that nothing that a frozen database holds open can hold the process.
  deadline.unref();
  service.context.log.info('stopped');
  return 0;
}
