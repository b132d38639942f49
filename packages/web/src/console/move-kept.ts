import type { BadgeClient, Token } from '@badge/sdk';
import { openJobStore } from './give/job-store.ts';
import { moveRoom } from './room/room-code.ts';

/**
 * Finds the badge that everybody has instead of a replaced one, and moves to it what this browser keeps: the
 * code of a room, and what became of a list with its links. Null if the badge was not replaced.
 */
export async function followReplacement(
  badge: BadgeClient,
  replaced: Token,
  signal: AbortSignal,
): Promise<Token | null> {
  const tokenId = replaced.replacedByTokenId;
  if (tokenId === null) return null;
  const current = await badge.getToken({ tokenId }, { signal });
  moveRoom(replaced.tokenId, current.tokenId);
  try {
    await (await openJobStore()).move(replaced, current);
  } catch {
    // The browser stores nothing.
  }
  return current;
}
