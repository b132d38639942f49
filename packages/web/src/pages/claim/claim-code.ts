/** 26 characters of Crockford's base 32, which has no I, L, O and U. */
const CODE_SHAPE = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * Reads a claim code as a person may type it: in any case, with spaces and hyphens, and with O for 0, and I or L for 1.
 * Returns null if it cannot be a code.
 */
export function readTypedCode(text: string): string | null {
  const code = removeSeparators(text).toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  return CODE_SHAPE.test(code) ? code : null;
}

/** Returns how many digits and letters a typed code has if it is too short or too long; otherwise null. */
export function findWrongLength(text: string): number | null {
  const code = removeSeparators(text);
  return code.length !== 26 && /^[0-9a-z]+$/i.test(code) ? code.length : null;
}

function removeSeparators(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** Reads what a person has pasted: a code, or a whole claim link of this token. Returns null if it contains no code. */
export function readPastedCode(text: string): string | null {
  const fragment = text.indexOf('#');
  return readTypedCode(fragment === -1 ? text : text.slice(fragment + 1));
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
