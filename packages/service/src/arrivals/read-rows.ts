import Papa from 'papaparse';
import { ArrivalError } from './arrival.ts';
import { decodeText } from './decode-text.ts';
import type { SourceFile } from './open-source-files.ts';

/** A row of a CSV file. */
export interface Row {
  /** The number of its first line. */
  line: number;
  cells: string[];
  /** What is wrong with its quotes, or null. */
  problem: string | null;
}

const DELIMITERS = [',', ';', '\t', '|'];
// A quote that is never closed would make one row of all that follows.
const MAX_ROW_CHARACTERS = 2 ** 20;
const SAMPLE_CHARACTERS = 64 * 2 ** 10;

/** Reads the rows of a CSV file, whichever separator it has, without holding more than one piece of it. */
export async function* readRows(file: SourceFile): AsyncGenerator<Row> {
  let text = '';
  let line = 1;
  let parser: Papa.Parser | null = null;
  const parse = function* (isLast: boolean): Generator<Row> {
    parser ??= new Papa.Parser({ delimiter: findDelimiter(text), newline: '\n' });
    const { data, errors, meta } = parser.parse(text, 0, !isLast) as ParseResult;
    const wrong = new Map(errors.map(({ row, code }) => [row, code]));
    for (const [index, cells] of data.entries()) {
      const code = wrong.get(index);
      const isSeparator = line === 1 && SEPARATOR_LINE.test(text);
      const lastLine = line + cells.reduce((sum, cell) => sum + countBreaks(cell), 0);
      const problem = code === undefined ? null : describe(code, line, lastLine);
      if (!isSeparator) yield { line, cells, problem };
      line = lastLine + 1;
    }
    text = isLast ? '' : text.slice(meta.cursor);
    if (text.length > MAX_ROW_CHARACTERS)
      throw new ArrivalError(
        `line ${line} has more than ${MAX_ROW_CHARACTERS} characters: perhaps a quote is not closed`,
      );
  };
  for await (const piece of decodeText(file)) {
    text += piece;
    // The separator is found in the first lines.
    if (parser !== null || text.length >= SAMPLE_CHARACTERS) yield* parse(false);
  }
  yield* parse(true);
}

interface ParseResult {
  data: string[][];
  errors: { row: number; code: string }[];
  meta: { cursor: number };
}

function describe(code: string, line: number, lastLine: number): string {
  const reason = code === 'MissingQuotes' ? 'a quote is not closed' : 'a quote is in the wrong place';
  return lastLine === line ? reason : `${reason}, so lines ${line} to ${lastLine} are not read`;
}

// Files for Excel can begin with the line `sep=;`, which says the separator.
const SEPARATOR_LINE = /^"?sep=(.)"?\n/i;

function findDelimiter(text: string): string {
  const said = SEPARATOR_LINE.exec(text)?.[1];
  if (said !== undefined) return said;
  const [header = ''] = text.split('\n', 1);
  // One that the header does not have is none, however often sentences have it.
  const candidates = DELIMITERS.filter((delimiter) => header.includes(delimiter));
  if (candidates.length <= 1) return candidates[0] ?? ',';
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  return Papa.parse(sample, { delimitersToGuess: candidates, preview: 20 }).meta.delimiter;
}

function countBreaks(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) count += 1;
  return count;
}
