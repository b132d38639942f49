// Spreadsheets execute a cell that begins with one of these. Some accept the full-width and small forms too.
const SIGN = '[=+\\-@\\u2212\\ufe62\\ufe63\\ufe66\\ufe6b\\uff0b\\uff0d\\uff1d\\uff20]';
// Spaces and quotes before a sign can vanish when a file is read.
const EXECUTED = `[\\s"']*${SIGN}`;
// A text can be split here, by a program that takes another separator than the comma, or that reads a quote
// wrongly.
const SPLIT = '[;|\\t\\r\\n\\v\\f\\x85\\u2028\\u2029]';
const AT_START = `(?:${EXECUTED}|'*[\\t\\r\\n])`;
const NEUTRAL = new RegExp(`^(?=${AT_START})|(?<=${SPLIT})(?=${EXECUTED})`, 'g');
const NEUTRALISED = new RegExp(`^'(?=${AT_START})|(?<=${SPLIT})'(?=${EXECUTED})`, 'g');

/**
 * Returns a text as a cell of a CSV file that spreadsheets execute no part of: they show an apostrophe before
 * a text that they would take for a formula. Cells are separated by commas.
 */
export function formatCsvCell(text: string): string {
  const neutral = text.replaceAll(NEUTRAL, "'");
  return /[",;\r\n]/.test(neutral) ? `"${neutral.replaceAll('"', '""')}"` : neutral;
}

/** Returns the text for which `formatCsvCell` has written a cell, after the quotes of CSV are read. */
export function readCsvCell(cell: string): string {
  return cell.replaceAll(NEUTRALISED, '');
}
