import Papa from 'papaparse';
import { decodeText } from '../../lists/decode-text.ts';

const READ_BYTES = 256 * 1024;
const READ_ROWS = 1_000;
const MAX_TEXT_LENGTH = 60;

/** A column of a CSV file with a title. */
export interface CsvColumn {
  title: string;
  /** The texts in the first rows. */
  texts: string[];
}

/** Reads the titles of a CSV file, and the first texts below them. The list is empty if there are none. */
export async function readCsvColumns(file: Blob): Promise<CsvColumn[]> {
  const bytes = new Uint8Array(await file.slice(0, READ_BYTES).arrayBuffer());
  // A letter at the end may be cut.
  const end = bytes.length < READ_BYTES ? bytes.length : bytes.lastIndexOf(0x0a) + 1;
  const text = decodeText(bytes.subarray(0, end))
    .text.replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n');
  // Excel writes such a line for itself.
  const [separatorLine = '', separator] = /^"?sep=(.)"?\n/i.exec(text) ?? [];
  const { data } = Papa.parse<string[]>(text.slice(separatorLine.length), {
    delimiter: separator ?? '',
    delimitersToGuess: [',', ';', '\t', '|'],
    newline: '\n',
    preview: 1 + READ_ROWS,
    skipEmptyLines: 'greedy',
  });
  const [titles = [], ...rows] = data;
  return titles.flatMap((written, index) => {
    const title = written.trim();
    // The service finds a column by its title. One with `=` at its begin would be a text.
    if (title === '' || title.startsWith('=') || titles.findIndex((one) => one.trim() === title) !== index)
      return [];
    const texts = rows
      .map((cells) => (cells[index] ?? '').trim().slice(0, MAX_TEXT_LENGTH))
      .filter((cell) => cell !== '');
    return [{ title, texts }];
  });
}
