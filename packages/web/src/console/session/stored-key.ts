const KEY = 'badge.console.key';
const COMMUNITY = 'badge.console.community';

// A browser that stores nothing keeps them only while the page is open.
const memory = new Map<string, string>();

/**
 * The key or the session token of this tab, or null. It is in `sessionStorage`, so another tab has it only if
 * it asks for it.
 */
export const findKey = () => find(KEY);
export const writeKey = (key: string | null) => write(KEY, key);

/** The community that was open last in this tab, or null. */
export const findCommunityId = () => find(COMMUNITY);
export const writeCommunityId = (communityId: string | null) => write(COMMUNITY, communityId);

function find(name: string): string | null {
  try {
    return sessionStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

function write(name: string, value: string | null): void {
  if (value === null) memory.delete(name);
  else memory.set(name, value);
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // The user has blocked storage.
  }
}
