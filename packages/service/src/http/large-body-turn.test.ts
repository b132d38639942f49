import { setImmediate as nextIteration } from 'node:timers/promises';
import { createFairSemaphore } from '@badge/turn-queue/fair-semaphore';
import { expect, test, vi } from 'vitest';
import { takeLargeBodyTurn } from './large-body-turn.ts';

function createTurns(maxTurnMs?: number) {
  const largeBodies = createFairSemaphore({
    perCaller: 1,
    total: 1,
    maxWaitMs: 60_000,
    onWait: () => undefined,
    refuse: () => new Error('refused'),
  });
  return { take: (caller: string) => takeLargeBodyTurn(largeBodies, caller, maxTurnMs) };
}

/** Takes a turn for each caller, in this order, and returns the callers in the order of their turns. */
async function runTurns(
  callers: string[],
  workOfTurn: () => Promise<void> = nextIteration,
): Promise<string[]> {
  const turns = createTurns();
  const order: string[] = [];
  await Promise.all(
    callers.map(async (caller) => {
      const end = await turns.take(caller);
      order.push(caller);
      await workOfTurn();
      end();
    }),
  );
  return order;
}

test('waiting callers take turns, even if one has more requests than the others', async () => {
  // The first request begins at once. The others wait, and take turns: a b c, a b, a.
  expect(await runTurns(['a', 'a', 'a', 'a', 'b', 'b', 'c'])).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('a turn begins only after the previous one has ended', async () => {
  let active = 0;
  await runTurns(
    Array.from({ length: 20 }, (_, index) => String(index % 3)),
    async () => {
      active += 1;
      expect(active).toBe(1);
      await nextIteration();
      active -= 1;
    },
  );
});

test('the event loop runs other callbacks between two turns', async () => {
  let iterations = 0;
  let isCounting = true;
  const countIterations = () => {
    iterations += 1;
    if (isCounting) setImmediate(countIterations);
  };
  setImmediate(countIterations);
  await runTurns(
    Array.from({ length: 20 }, () => 'a'),
    async () => undefined,
  );
  isCounting = false;
  expect(iterations).toBeGreaterThanOrEqual(19);
});

test('the next turn begins when a turn takes longer than its limit', async () => {
  const turns = createTurns(10);
  await turns.take('a');
  expect(await turns.take('b')).toBeTypeOf('function');
});

test('only one other turn begins if a turn is ended twice', async () => {
  const turns = createTurns();
  const end = await turns.take('a');
  const started: string[] = [];
  for (const caller of ['b', 'c']) void turns.take(caller).then(() => started.push(caller));
  end();
  end();
  await vi.waitFor(() => expect(started).not.toEqual([]));
  for (let iteration = 0; iteration < 5; iteration += 1) await nextIteration();
  expect(started).toEqual(['b']);
});
