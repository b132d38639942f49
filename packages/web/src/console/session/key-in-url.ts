import { findKey, writeKey } from './stored-key.ts';

/** The key of the link with which the page was opened, while the person is asked whether to change to it. */
let offeredKey: string | null = null;

/**
 * Takes the key in a link such as `/console#key=badge_sandbox_…` out of the address bar and of the history.
 * Returns it, or null if there is none.
 */
export function takeKeyFromUrl(): string | null {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return key === '' ? null : key;
}

/**
 * Keeps the key of the link for this tab. A tab that is signed in does not change by itself: a link can be
 * somebody else's.
 */
export function keepKeyFromUrl(): void {
  const key = takeKeyFromUrl();
  if (key === null) return;
  if (findKey() === null) writeKey(key);
  else offeredKey = key;
}

export const findOfferedKey = (): string | null => (offeredKey === findKey() ? null : offeredKey);
