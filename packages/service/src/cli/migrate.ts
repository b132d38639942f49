import { startService } from '../app.ts';
import type { Config } from '../config.ts';

/** Brings the database to this release: a worker that listens nowhere is started and stopped again. */
export async function migrateDatabase(config: Config): Promise<number> {
  const service = await startService({ ...config, role: 'worker', port: undefined });
  await service.stop();
  return 0;
}
