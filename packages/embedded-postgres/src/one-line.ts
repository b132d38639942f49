/** Joins the lines of a program's output, for an error message of one line. */
export function asOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ');
}
