import type { FairSemaphore } from './shares/fair-semaphore.ts';

const MAX_TURN_MS = 1_000;
const MAX_PAUSE_MS = 200;

/**
 * Waits until a caller may process a large body, which occupies the event loop. Returns the function that ends the
 * turn. Then the event loop serves other requests for as long as the turn took, up to 200 ms. If a turn takes longer
 * than a second, such as when the database is slow, the next one begins.
 */
export async function takeLargeBodyTurn(
  largeBodies: FairSemaphore,
  caller: string,
  maxTurnMs = MAX_TURN_MS,
): Promise<() => void> {
  const permit = await largeBodies.acquire(caller, 1);
  const beganAtMs = performance.now();
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    setTimeout(permit.release, Math.min(performance.now() - beganAtMs, MAX_PAUSE_MS));
  };
  const timer = setTimeout(end, maxTurnMs);
  return end;
}
