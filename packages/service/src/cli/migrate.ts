import { migrateDatabase } from '../app.ts';
import type { Config } from '../config.ts';

/** Brings the database to this release and stops. */
export async function migrate(config: Config): Promise<number> {
  await migrateDatabase(config);
  return 0;
}
