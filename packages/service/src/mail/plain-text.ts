// Control characters, line separators, and characters without a shape that hide text or change the direction
// of the text around them. Those that join letters or emoji stay.
const UNPRINTABLE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}]/gu;

const MAX_HEADER_CHARACTERS = 200;

/** Returns a text in one line, without characters that could add a header or turn the text around. */
export function toLine(text: string, maxCharacters = 200): string {
  const characters = Array.from(
    text.toWellFormed().replaceAll(UNPRINTABLE, ' ').replaceAll(/\s+/g, ' ').trim(),
  );
  return characters.length <= maxCharacters
    ? characters.join('')
    : `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`;
}

/**
 * Returns a text of a person as a header of a mail may contain it: in one line, and without the begin of an
 * encoded word (`=?`, RFC 2047), which mail programs would decode to something else.
 */
export function toHeaderText(text: string): string {
  return toLine(text, MAX_HEADER_CHARACTERS).replaceAll('=?', '= ?');
}

/** Returns the lines of a text, without such characters. At most one empty line is between two others. */
export function toLines(text: string): string[] {
  return text
    .toWellFormed()
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
