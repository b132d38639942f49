// A browser that stores nothing keeps them only while the page is open.
const memory = new Map<string, string>();

/** Reads a value of this tab from `sessionStorage`, or null. Other tabs do not have it. */
export function findInTab(name: string): string | null {
  try {
    return sessionStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/** Keeps a value for this tab; null forgets it. */
export function writeInTab(name: string, value: string | null): void {
  if (value === null) memory.delete(name);
  else memory.set(name, value);
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // The user has blocked storage.
  }
}
