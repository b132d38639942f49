/** Eight characters of Crockford's base 32, which has no I, L, O and U. */
const CODE = /^#?([0-9A-HJKMNP-TV-Z]{4})-?([0-9A-HJKMNP-TV-Z]{4})$/;

/** The code of a room in a fragment such as `#7K2M-9QPD`, as people read it. Null if there is none. */
export function findRoomCode(fragment: string): string | null {
  const [, first, second] = CODE.exec(fragment.toUpperCase()) ?? [];
  return first === undefined || second === undefined ? null : `${first}-${second}`;
}

/** A room link that was made in this tab. */
export interface KeptRoom {
  claimLinkId: string;
  code: string;
}

const KEPT = 'badge.console.room.';
const keptAs = (tokenId: number) => `${KEPT}${tokenId}`;

/**
 * Keeps the code of the last room link of a badge in this tab, because the service shows it only once. A tab
 * that this tab opens gets a copy.
 */
export function keepRoom(tokenId: number, room: KeptRoom): void {
  try {
    sessionStorage.setItem(keptAs(tokenId), JSON.stringify(room));
  } catch {
    // The user has blocked storage. The code is still in the address of the projector.
  }
}

/** The room link that `keepRoom` has kept, or null. */
export function findKeptRoom(tokenId: number): KeptRoom | null {
  try {
    const { claimLinkId, code } = JSON.parse(sessionStorage.getItem(keptAs(tokenId)) ?? '{}');
    const known = typeof code === 'string' ? findRoomCode(code) : null;
    return typeof claimLinkId === 'string' && known !== null ? { claimLinkId, code: known } : null;
  } catch {
    return null;
  }
}

/** Moves the code that `keepRoom` has kept to the badge that has replaced another one. */
export function moveRoom(tokenId: number, newTokenId: number): void {
  const room = findKeptRoom(tokenId);
  if (room === null) return;
  if (findKeptRoom(newTokenId) === null) keepRoom(newTokenId, room);
  sessionStorage.removeItem(keptAs(tokenId));
}

/** Forgets the codes that `keepRoom` has kept in this tab. */
export function forgetRooms(): void {
  try {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(KEPT)) sessionStorage.removeItem(name);
  } catch {
    // The user has blocked storage.
  }
}
