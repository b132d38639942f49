const CODE_LENGTH = 26;
/** Crockford's base 32 has no I, L, O or U. */
const CODE_SHAPE = new RegExp(`^[0-9A-HJKMNP-TV-Z]{${CODE_LENGTH}}$`);

/**
 * Reads a claim code as a person may type it: in any case, with spaces and hyphens, and with O for 0, and I or L for 1.
 * Returns null if it cannot be a code.
 */
export function findTypedCode(text: string): string | null {
  const code = removeSeparators(text).toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  return CODE_SHAPE.test(code) ? code : null;
}

/**
 * Returns how many characters the code in a typed or pasted text has, if it is too short or too long. Spaces and hyphens
 * do not count. Returns null if it has the right length, or if it contains anything other than digits and letters.
 */
export function findWrongLength(text: string): { found: number; isTooShort: boolean } | null {
  const code = removeSeparators(removeUrl(text));
  if (code.length === CODE_LENGTH || !/^[0-9a-z]+$/i.test(code)) return null;
  return { found: code.length, isTooShort: code.length < CODE_LENGTH };
}

function removeSeparators(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/**
 * Reads what a person has pasted: a code, a whole claim link, or a message with one of them. Returns null if it has no
 * code, or several.
 */
export function findPastedCode(text: string): string | null {
  // Only the fragment of a link contains a code. A part of its host can have the form of one.
  const words = text.replaceAll(/https?:\/\/[^\s#]*/gi, ' ').match(/[0-9a-z]+/gi) ?? [];
  const [code, ...others] = new Set(words.flatMap((word) => findTypedCode(word) ?? []));
  if (others.length > 0) return null;
  // A code in groups is several words. Then the whole text, or what follows `#`, may be a code.
  return code ?? findTypedCode(removeUrl(text));
}

/** Returns the first claim link in a pasted text, if it is of another badge of this site. Otherwise returns null. */
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

/** Reads the code in `location.hash`. Returns null if there is no fragment, and `invalid` if the fragment cannot be a code. */
export function findCodeInHash(hash: string): string | null | 'invalid' {
  const text = hash.replace(/^#/, '');
  if (text === '') return null;
  try {
    return findTypedCode(decodeURIComponent(text)) ?? 'invalid';
  } catch {
    return 'invalid';
  }
}
