import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { query } from './sql.ts';

/**
 * Creates a database and returns its URL. Needs the Vitest setup `postgres-server`, which starts the server.
 */
export async function createDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  return await createDatabaseOn(
    inject('serverUrl'),
    kind === 'empty' ? 'template0' : inject('templateDatabase'),
  );
}

/** As `createDatabase`, for a global setup of Vitest. */
export async function createDatabaseOn(serverUrl: string, template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(
    databaseUrl(serverUrl, 'postgres'),
    `create database ${name} template ${template} strategy file_copy`,
  );
  return databaseUrl(serverUrl, name);
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
