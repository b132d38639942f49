import type { FairSemaphore } from '@badge/turn-queue/fair-semaphore';

const MAX_TURN_MS = 1_000;
const MAX_PAUSE_MS = 200;

/**
 * Waits until a caller may process a large body, which occupies the event loop. Returns the function that ends this
 * turn. After a turn, the event loop serves other requests for as long as the turn took, but at most 200 ms. Then the
 * next turn begins. A turn that takes longer than `maxTurnMs`, for example because the database is slow, ends by itself.
 */
export async function takeLargeBodyTurn(
  largeBodies: FairSemaphore,
  caller: string,
  maxTurnMs = MAX_TURN_MS,
): Promise<() => void> {
  const permit = await largeBodies.acquire(caller, 1);
  const startedAtMs = performance.now();
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    setTimeout(permit.release, Math.min(performance.now() - startedAtMs, MAX_PAUSE_MS));
  };
  const timer = setTimeout(end, maxTurnMs);
  return end;
}
