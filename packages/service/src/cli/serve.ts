import { once } from 'node:events';
import { startService } from '../app.ts';
import type { Config } from '../config.ts';
import { printBanner } from './banner.ts';

// docs/operations.md promises that a stop takes at most 40 seconds. The last second is left for writing the
// rest of the log.
const STOP_TIMEOUT_MS = 39_000;

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the service until SIGINT, SIGTERM or SIGHUP, then stops it gracefully. Returns the exit code. */
export async function serve(config: Config): Promise<number> {
  const stopRequested = Promise.race(STOP_SIGNALS.map((signal) => once(process, signal)));
  // npm forwards Ctrl-C, so the process receives the signal twice. Without these listeners, the second one
  // would end the process before the stop is complete.
  for (const signal of STOP_SIGNALS) process.on(signal, () => undefined);

  const startAbort = new AbortController();
  void stopRequested.then(() => startAbort.abort());
  // A signal during the start can make `startService` reject. This is not an error.
  const service = await startService(config, undefined, startAbort.signal).catch((error: unknown) => {
    if (!startAbort.signal.aborted) throw error;
  });
  if (service === undefined) return 0;
  try {
    if (config.role !== 'worker') printBanner(config, service);
    await stopRequested;
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
  // A connection to a frozen database may still keep the process running, so the deadline stays set. Because
  // of `unref`, the deadline itself does not keep the process running.
  deadline.unref();
  service.context.log.info('stopped');
  return 0;
}
