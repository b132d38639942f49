import { findCodeInHash, isRoomCode } from './claim-code.ts';
import type { RefusalName } from './refusal.ts';

/**
 * Continues with a code from the field for codes, as if its claim link had been opened. `isTyped` is false if
 * the person has pasted a claim link, which has no typing mistakes.
 */
export function openCode(code: string, { isTyped }: { isTyped: boolean }): void {
  history.pushState({ isCodeTyped: isTyped }, '', `#${code}`);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Continues without the code of the link. */
export function dropCode(): void {
  // An empty fragment would leave `#` in the URL.
  history.replaceState(null, '', location.pathname + location.search);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/**
 * Returns the name under which the page explains a refusal: a used code of a room has another text than a
 * used link.
 */
export function nameOfText(name: RefusalName): RefusalName | 'RoomCodeUsed' {
  return name === 'ClaimCodeUsed' && isRoomCode(findCodeInHash(location.hash) ?? '') ? 'RoomCodeUsed' : name;
}

/**
 * Whether the code in the URL was typed on this page, so that it can have mistakes. A reload does not change
 * it.
 */
export function isCodeTyped(): boolean {
  return (history.state as { isCodeTyped?: boolean } | null)?.isCodeTyped === true;
}
