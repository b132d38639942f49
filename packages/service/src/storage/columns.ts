import { type RawBuilder, sql } from 'kysely';

/** The columns of a row, as SQL. The compiler reports each that is missing. */
export function columnsOf<Row>(
  columns: Record<keyof Row & string, true>,
  alias?: string,
): RawBuilder<unknown> {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return sql.raw(
    Object.keys(columns)
      .map((column) => prefix + column)
      .join(', '),
  );
}
