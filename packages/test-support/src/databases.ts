import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { query } from './sql.ts';

/** Creates a database and returns its URL. Needs the Vitest setup `postgres-server`, which starts the server. */
export async function createDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = kind === 'empty' ? 'template0' : inject('templateDatabase');
  await query(databaseUrl('postgres'), `create database ${name} template ${template} strategy file_copy`);
  return databaseUrl(name);
}

function databaseUrl(name: string): string {
  const url = new URL(inject('serverUrl'));
  url.pathname = `/${name}`;
  return url.href;
}
