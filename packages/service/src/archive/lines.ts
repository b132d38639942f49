import type { Row, RowsOfTable } from '../storage/archive.ts';
import type { Noun } from './nouns.ts';

/** How the storage reads the rows of a noun. */
export function rowsOf({ table, order, fields, notIn }: Noun): RowsOfTable {
  const columns = Object.values(fields).map(({ column }) => column);
  const texts = Object.values(fields).flatMap(({ column, kind }) => (kind.isText === true ? [column] : []));
  return { table, columns, order, textColumns: texts, notIn };
}

/** Writes a row as a line, without its line break. */
export function toLine({ fields }: Noun, row: Row): string {
  const line: Record<string, unknown> = {};
  for (const [name, { column, kind }] of Object.entries(fields)) line[name] = kind.toJson(row[column]);
  return JSON.stringify(line);
}

/** Writes a valid line as a row for `insertRows`. */
export function toRow({ fields }: Noun, line: Record<string, unknown>): Row {
  const row: Row = {};
  for (const [name, { column, kind }] of Object.entries(fields)) row[column] = kind.toDatabase(line[name]);
  return row;
}

export const fileOf = ({ name }: Noun): string => `${name}.ndjson`;

/** The file of an uploaded picture or video. */
export function pictureFileOf({ assetId, contentType }: { assetId: string; contentType: string }): string {
  const [extension] = /(?<=\/)\w+/.exec(contentType) ?? ['bin'];
  return `pictures/${assetId}.${extension}`;
}
