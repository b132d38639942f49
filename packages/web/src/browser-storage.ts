/**
 * Reads a value that this browser remembers. Returns null if there is none, or if the browser stores nothing.
 */
export function findStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Remembers a value in this browser; null forgets it. */
export function writeStored(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // The browser stores nothing, for example because the user has blocked it.
  }
}

/** Forgets the values whose name fits. */
export function forgetStored(isForgotten: (name: string) => boolean): void {
  try {
    for (const name of Object.keys(localStorage).filter(isForgotten)) localStorage.removeItem(name);
  } catch {
    // The browser stores nothing.
  }
}
