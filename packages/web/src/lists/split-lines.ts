/** Splits a text at the line breaks of any system. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
