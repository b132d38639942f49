import { readFileSync } from 'node:fs';
import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { printSchema } from './print-schema.ts';

/** The columns that `Tables` in schema.ts declares, as `table.column`, with "?" if the column can be null. */
function readDeclaredColumns(): string[] {
  const source = readFileSync(new URL('schema.ts', import.meta.url), 'utf8');
  const [, tables = ''] =
    /export interface Tables \{\n([\s\S]*?)\n\}/.exec(source.replaceAll(/\/\*\*[\s\S]*?\*\//g, '')) ?? [];
  return [...tables.matchAll(/^ {2}(\w+): \{([\s\S]*?)\};$/gm)].flatMap(([, table, columns = '']) =>
    [
      ...`${columns.trimEnd()};`
        .replace(/;;$/, ';')
        .matchAll(/(?:^|\n {4}| )(\w+): ([\s\S]*?);(?=\s*(?:\w+:|$))/g),
    ].map(([, column, type = '']) => `${table}.${column}${/\bnull\b/.test(type) ? '?' : ''}`),
  );
}

// The compiler knows only schema.ts, so a column of a migration that is missing there would be missed.
test('schema.ts declares every column of its tables, with whether it can be null', async () => {
  const declared = readDeclaredColumns();
  const tables = new Set(declared.map((name) => name.split('.')[0]));
  expect(tables.size).toBeGreaterThan(20);
  const rows = await query<{ table_name: string; column_name: string; is_nullable: string }>(
    await createDatabase(),
    "select table_name, column_name, is_nullable from information_schema.columns where table_schema = 'public'",
  );
  const actual = rows
    .filter(({ table_name }) => tables.has(table_name))
    .map(
      ({ table_name, column_name, is_nullable }) =>
        `${table_name}.${column_name}${is_nullable === 'YES' ? '?' : ''}`,
    );
  expect(declared.sort()).toEqual(actual.sort());
});

test('schema.sql shows the tables of this release', async () => {
  const db = openDatabase({ connectionString: await createDatabase() }, () => undefined);
  const schema = await printSchema(db).finally(() => db.destroy());
  await expect(
    schema,
    'run: BADGE_DATA_DIR=$(mktemp -d) npm run -s schema > packages/service/schema.sql',
  ).toMatchFileSnapshot('../../schema.sql');
});
