import { writeKey } from './stored-key.ts';

/**
 * Keeps the key in a link such as `/console#key=badge_sandbox_…` for this tab, and takes it out of the address bar and of
 * the history. A tab that is signed in already changes to the new key.
 */
export function takeKeyFromUrl(): void {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (key !== '') writeKey(key);
}
