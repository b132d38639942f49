import { CompiledQuery, type Kysely, type QueryResult, sql } from 'kysely';
import type { Tables } from './schema.ts';

// Each connection parses a prepared statement once. After five executions, PostgreSQL also keeps its plan
// until the tables are analyzed or the connection is closed. This has two consequences for the SQL:
// - The tables can grow while a plan is kept. So a row is looked up by a whole key, or in a lateral subquery
//   with `limit`: then PostgreSQL uses the index, unless the table is very small (statistics.ts).
// - PostgreSQL keeps no plan if it expects a new plan for the actual values to be cheaper. So an array is
//   written as `(select $1)`, which hides its length from the planner.

// By template: its compiled text, and the fragments that the text contains.
const statements = new WeakMap<TemplateStringsArray, { text: string; fragments: unknown[] }>();
// By text: the name under which connections prepare it.
const names = new Map<string, string>();

/**
 * Returns the name under which connections prepare a text, or undefined if it is not a prepared statement.
 */
export function findStatementName(text: string): string | undefined {
  return names.get(text);
}

/**
 * A template tag like `sql` of Kysely, for statements that are executed often. The text is compiled once, so
 * fragments in it must be constants without parameters.
 */
export function prepared<Row>(
  strings: TemplateStringsArray,
  ...values: unknown[]
): { execute(db: Kysely<Tables>): Promise<QueryResult<Row>> } {
  const fragments = values.filter(isFragment);
  const parameters = values.filter((value) => !isFragment(value));
  return {
    execute: async (db) => {
      const statement = statements.get(strings) ?? {
        text: compile(db, strings, values, parameters.length),
        fragments,
      };
      if (fragments.some((fragment, index) => fragment !== statement.fragments[index])) {
        throw new TypeError('a fragment of a prepared statement is not a constant');
      }
      statements.set(strings, statement);
      return await db.executeQuery<Row>(CompiledQuery.raw(statement.text, parameters));
    },
  };
}

function isFragment(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isRawBuilder' in value;
}

function compile(
  db: Kysely<Tables>,
  strings: TemplateStringsArray,
  values: unknown[],
  parameterCount: number,
): string {
  const compiled = sql(strings, ...values).compile(db);
  if (compiled.parameters.length !== parameterCount) {
    throw new TypeError('a fragment of a prepared statement has parameters');
  }
  names.set(compiled.sql, `badge_${names.size}`);
  return compiled.sql;
}
