// Control characters, line separators, and characters that change the direction of the text around them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not get into a mail
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** Returns a text in one line, without characters that could add a header or turn the text around. */
export function toLine(text: string, maxCharacters = 200): string {
  const characters = Array.from(text.replaceAll(UNPRINTABLE, ' ').replaceAll(/\s+/g, ' ').trim());
  return characters.length <= maxCharacters
    ? characters.join('')
    : `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`;
}

/** Returns the lines of a text, without such characters. At most one empty line is between two others. */
export function toLines(text: string): string[] {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(UNPRINTABLE, ' ').trimEnd());
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
