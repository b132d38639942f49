const CODE_LENGTH = 26;
/** Crockford's base 32 has no I, L, O and U. */
const CODE_SHAPE = new RegExp(`^[0-9A-HJKMNP-TV-Z]{${CODE_LENGTH}}$`);

/**
 * Reads a claim code as a person may type it: in any case, with spaces and hyphens, and with O for 0, and I or L for 1.
 * Returns null if it cannot be a code.
 */
export function readTypedCode(text: string): string | null {
  const code = removeSeparators(text).toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  return CODE_SHAPE.test(code) ? code : null;
}

/**
 * Returns how many characters the code in a typed or pasted text has, if it is too short or too long. Returns null if it
 * has the right length, or if it contains anything else than digits and letters.
 */
export function findWrongLength(text: string): { found: number; isTooShort: boolean } | null {
  const code = removeSeparators(removeUrl(text));
  if (code.length === CODE_LENGTH || !/^[0-9a-z]+$/i.test(code)) return null;
  return { found: code.length, isTooShort: code.length < CODE_LENGTH };
}

function removeSeparators(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** Reads what a person has pasted: a code, or a whole claim link of this token. Returns null if it contains no code. */
export function readPastedCode(text: string): string | null {
  return readTypedCode(removeUrl(text));
}

/** Removes what precedes the code in a claim link. */
function removeUrl(text: string): string {
  return text.slice(text.indexOf('#') + 1);
}

/** Reads the code in `location.hash`. Returns null if there is no fragment, and `invalid` if the fragment cannot be a code. */
export function readCodeInHash(hash: string): string | null | 'invalid' {
  const text = hash.replace(/^#/, '');
  if (text === '') return null;
  try {
    return readTypedCode(decodeURIComponent(text)) ?? 'invalid';
  } catch {
    return 'invalid';
  }
}
