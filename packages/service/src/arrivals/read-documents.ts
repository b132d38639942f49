import { ArrivalError, type Place } from './arrival.ts';
import { decodeText } from './decode-text.ts';
import { readWhole, type SourceFile } from './open-source-files.ts';

/** A JSON value of a file, or why a part of the file is none. */
export type Document = { place: Place; value: unknown } | { place: Place; problem: string };

/** A file of JSON is read as a whole, so it is limited; one of lines is not. */
export const MAX_JSON_BYTES = 32 * 2 ** 20;
const MAX_LINE_CHARACTERS = 4 * 2 ** 20;
const LINES = /\.(ndjson|jsonl)$/i;

/**
 * Reads the JSON values of a file: one, or one a line. The place of a value is its line, or the name of the
 * file; if the source has several files, it has both.
 */
export async function* readDocuments(file: SourceFile, isOnlyFile: boolean): AsyncGenerator<Document> {
  const toPlace = (line: number): Place => (isOnlyFile ? line : `${file.name}:${line}`);
  if (LINES.test(file.name)) {
    yield* readLines(decodeText(file), toPlace);
    return;
  }
  try {
    const text = new TextDecoder().decode(await readWhole(file, MAX_JSON_BYTES));
    const value = parseJson(text);
    if (value !== undefined) yield { place: file.name, value };
    else if (parseJson(text.trimStart().split('\n', 1)[0] ?? '') === undefined)
      yield { place: file.name, problem: 'it is not JSON' };
    else yield* readLines([text], toPlace);
  } catch (error) {
    if (!(error instanceof ArrivalError)) throw error;
    yield { place: file.name, problem: error.message };
  }
}

async function* readLines(
  pieces: AsyncIterable<string> | Iterable<string>,
  toPlace: (line: number) => Place,
): AsyncGenerator<Document> {
  let rest = '';
  let line = 0;
  const read = (text: string): Document[] => {
    line += 1;
    if (text.trim() === '') return [];
    const value = parseJson(text);
    const place = toPlace(line);
    return [value === undefined ? { place, problem: 'it is not JSON' } : { place, value }];
  };
  for await (const piece of pieces) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) yield* read(text);
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new ArrivalError(`line ${line + 1} has more than ${MAX_LINE_CHARACTERS} characters`);
  }
  yield* read(rest);
}

/** The place of the item with this number, from 1, in a document. A line has one item. */
export function toItemPlace(place: Place, { name }: SourceFile, number: number): Place {
  return place === name ? `${name}:${number}` : place;
}

/** Parses JSON. Returns undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text or a number as a text; an empty text for anything else. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
