import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { insertCommunity } from '../storage/communities.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { TEMPLATE_DATABASE } from './postgres-server.ts';

export const OPERATOR = { kind: 'operator', apiKeyId: null } as const;

/** Makes a database of the caller's own on the run's server: migrated, or empty. Answers its URL. */
export async function createDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(
    databaseUrl('postgres'),
    `create database ${name} template ${kind === 'empty' ? 'template0' : TEMPLATE_DATABASE}`,
  );
  return databaseUrl(name);
}

/** Makes a migrated database with the community `demo`, and opens it; the caller destroys what is opened. */
export async function openDemoDatabase(): Promise<{ url: string; db: Database }> {
  const url = await createDatabase();
  const db = openDatabase({ connectionString: url }, () => undefined);
  const demo = { community_id: 'demo', display_id: 'demo', name: 'Demo', description: '' };
  await insertCommunity(db, OPERATOR, demo);
  return { url, db };
}

/** Runs one statement, as a person at the database would. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table as text, in one order: equal texts are equal databases. */
export async function dumpTables(url: string): Promise<string> {
  const tables = await query<{ name: string }>(
    url,
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const selects = tables.map(({ name }) => `select '${name} ' || t::text as line from ${name} t`);
  const rows = await query<{ line: string }>(url, `${selects.join(' union all ')} order by 1`);
  return rows.map(({ line }) => line).join('\n');
}

function databaseUrl(name: string): string {
  const url = new URL(inject('serverUrl'));
  url.pathname = `/${name}`;
  return url.href;
}
