import { writeKey } from './stored-key.ts';

/**
 * Keeps the key in a link such as `/console#key=badge_sandbox_…` for this tab, and takes it out of the address bar and of
 * the history. A tab that is signed in already changes to the new key. Returns the key, or null if there is none.
 */
export function takeKeyFromUrl(): string | null {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (key === '') return null;
  writeKey(key);
  return key;
}
