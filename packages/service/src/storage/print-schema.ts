import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Returns the tables of the service with their constraints, indexes and triggers, and its functions, as SQL.
 */
export async function printSchema(db: Database): Promise<string> {
  const parts = [await printTables(db), await printFunctions(db)];
  return `${parts.flat().join('\n\n')}\n`;
}

async function printTables(db: Database): Promise<string[]> {
  const tables = await readRows<{ oid: number; name: string; isUnlogged: boolean; options: string | null }>(
    db,
    sql`select oid, relname as name, relpersistence = 'u' as "isUnlogged", array_to_string(reloptions, ', ') as options
        from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%' order by relname`,
  );
  const [columns, constraints, indexes, triggers] = await Promise.all(
    [
      sql`select attrelid as table, attname || ' ' || format_type(atttypid, atttypmod)
            || case when attnotnull then ' not null' else '' end
            || case when attidentity <> '' then ' generated always as identity' else '' end
            || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as text
          from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
          where attnum > 0 and not attisdropped order by attnum`,
      // PostgreSQL 18 also lists each "not null" as a constraint.
      sql`select conrelid as table, 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) as text
          from pg_constraint where contype in ('p', 'u', 'f', 'c') order by contype = 'f', contype <> 'p', conname`,
      sql`select indrelid as table, pg_get_indexdef(indexrelid) || ';' as text
          from pg_index join pg_class on pg_class.oid = indexrelid
          where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
          order by relname`,
      sql`select tgrelid as table, pg_get_triggerdef(oid, true) || ';' as text
          from pg_trigger where not tgisinternal order by tgname`,
    ].map((query) => readRows<{ table: number; text: string }>(db, query)),
  );
  return tables.map(({ oid, name, isUnlogged, options }) => {
    const textsOf = (rows: { table: number; text: string }[] = []) =>
      rows.filter(({ table }) => table === oid).map(({ text }) => text);
    const lines = [...textsOf(columns), ...textsOf(constraints)].map((line) => `  ${line}`).join(',\n');
    const kind = isUnlogged ? 'create unlogged table' : 'create table';
    const table = `${kind} ${name} (\n${lines}\n)${options === null ? '' : ` with (${options})`};`;
    return [table, ...textsOf(indexes), ...textsOf(triggers)].join('\n').replaceAll('public.', '');
  });
}

async function printFunctions(db: Database): Promise<string[]> {
  const functions = await readRows<{ text: string }>(
    db,
    sql`select pg_get_functiondef(oid) as text from pg_proc
        where pronamespace = 'public'::regnamespace order by proname`,
  );
  return functions.map(({ text }) => `${text.trim().replaceAll('public.', '')};`);
}

async function readRows<Row>(db: Database, query: RawBuilder<unknown>): Promise<Row[]> {
  return (await query.execute(db)).rows as Row[];
}
