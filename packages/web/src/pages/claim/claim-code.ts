const CODE_LENGTH = 26;
/** The length of the code of a room. */
const ROOM_CODE_LENGTH = 8;
/** Crockford's base 32 has no I, L, O or U. */
const CODE_SHAPE = /^[0-9A-HJKMNP-TV-Z]*$/;
/** What may be the code of a room among words, as the service writes it, with or without its hyphen. */
const ROOM_CODE_IN_TEXT = /(?<![\w-])[0-9A-Z]{4}-?[0-9A-Z]{4}(?![\w-])/g;

/**
 * Reads a claim code as a person may type it: in any case, with spaces and hyphens, and with O for 0, and I
 * or L for 1. Returns null if it cannot be a code.
 */
export function findTypedCode(text: string): string | null {
  const code = removeSeparators(text).toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  const isWhole = code.length === CODE_LENGTH || code.length === ROOM_CODE_LENGTH;
  return isWhole && CODE_SHAPE.test(code) ? code : null;
}

/**
 * Reads a code for one person, as `findTypedCode` does. Returns null for the code of a room, which can look
 * like a name.
 */
export function findLongCode(text: string): string | null {
  const code = findTypedCode(text);
  return code === null || isRoomCode(code) ? null : code;
}

/** Whether a code is the short one of a room. */
export function isRoomCode(code: string): boolean {
  return code.length === ROOM_CODE_LENGTH;
}

/** Writes a code in groups of four characters if it is that of a room. */
export function formatRoomCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/**
 * Returns how many characters the code in a typed or pasted text has, if it is too short or too long. Spaces
 * and hyphens do not count. Returns null if it has the right length, or if it contains anything other than
 * digits and letters.
 */
export function findWrongLength(text: string): { found: number; isTooShort: boolean } | null {
  const code = removeSeparators(removeUrl(text));
  const isWhole = code.length === CODE_LENGTH || code.length === ROOM_CODE_LENGTH;
  if (isWhole || !/^[0-9a-z]+$/i.test(code)) return null;
  return { found: code.length, isTooShort: code.length < CODE_LENGTH };
}

function removeSeparators(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/**
 * Reads what a person has pasted: a code, a whole claim link, or a message with one of them. Returns null if
 * it has no code, or several.
 */
export function findPastedCode(text: string): string | null {
  // Only the fragment of a link contains a code. A part of its host can have the form of one.
  const withoutUrls = text.replaceAll(/https?:\/\/[^\s#]*/gi, ' ');
  const words = withoutUrls.match(/[0-9a-z]+/gi) ?? [];
  const [code, ...others] = new Set(words.flatMap((word) => findLongCode(word) ?? []));
  if (others.length > 0) return null;
  // A code in groups is several words. Then the whole text, or what follows `#`, may be a code.
  return code ?? findTypedCode(removeUrl(text)) ?? findRoomCodeInText(withoutUrls);
}

/**
 * Returns the only word that may be the code of a room. A word in lower case, or a number, is more likely
 * something else.
 */
function findRoomCodeInText(text: string): string | null {
  const words = text.match(ROOM_CODE_IN_TEXT)?.filter((word) => /-|\d.*[A-Z]|[A-Z].*\d/.test(word)) ?? [];
  const [code = null, ...others] = new Set(words.flatMap((word) => findTypedCode(word) ?? []));
  return others.length > 0 ? null : code;
}

/**
 * Returns the first claim link in a pasted text, if it is of another badge of this site. Otherwise returns
 * null.
 */
export function findLinkOfOtherBadge(
  text: string,
  page: { origin: string; pathname: string },
): string | null {
  const [link = ''] = text.match(/https?:\/\/\S+\/claim\/\d+#[0-9a-z-]+/i) ?? [];
  if (!URL.canParse(link)) return null;
  const { origin, pathname } = new URL(link);
  return origin === page.origin && pathname !== page.pathname ? link : null;
}

/** Removes what precedes the code in a claim link. */
function removeUrl(text: string): string {
  return text.slice(text.indexOf('#') + 1);
}

/**
 * Reads the code in `location.hash`. Returns null if there is no fragment, and `invalid` if the fragment
 * cannot be a code.
 */
export function findCodeInHash(hash: string): string | null | 'invalid' {
  const text = hash.replace(/^#/, '');
  if (text === '') return null;
  try {
    return findTypedCode(decodeURIComponent(text)) ?? 'invalid';
  } catch {
    return 'invalid';
  }
}
