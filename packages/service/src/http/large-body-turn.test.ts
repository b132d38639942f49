import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { takeLargeBodyTurn } from './large-body-turn.ts';
import { createFairSemaphore } from './shares/fair-semaphore.ts';

function createTurns(maxTurnMs?: number) {
  const largeBodies = createFairSemaphore({
    perCaller: 1,
    total: 1,
    maxWaitMs: 60_000,
    resource: '',
    onWait: () => undefined,
    onRefused: () => undefined,
  });
  return { take: (caller: string) => takeLargeBodyTurn(largeBodies, caller, maxTurnMs) };
}

/** Takes a turn for each caller, in this order, and returns the callers in the order of their turns. */
async function runTurns(callers: string[], during: () => Promise<void> = nextTurn): Promise<string[]> {
  const turns = createTurns();
  const order: string[] = [];
  await Promise.all(
    callers.map(async (caller) => {
      const end = await turns.take(caller);
      order.push(caller);
      await during();
      end();
    }),
  );
  return order;
}

test('callers take turns, however many requests each has', async () => {
  expect(await runTurns(['a', 'a', 'a', 'a', 'b', 'b', 'c'])).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('only one turn is taken at a time', async () => {
  let active = 0;
  await runTurns(
    Array.from({ length: 20 }, (_, index) => String(index % 3)),
    async () => {
      active += 1;
      expect(active).toBe(1);
      await nextTurn();
      active -= 1;
    },
  );
});

test('the event loop does other work between two turns', async () => {
  let passes = 0;
  let isCounting = true;
  const count = () => {
    passes += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  await runTurns(
    Array.from({ length: 20 }, () => 'a'),
    async () => undefined,
  );
  isCounting = false;
  expect(passes).toBeGreaterThanOrEqual(19);
});

test('the next turn begins when one takes too long', async () => {
  const turns = createTurns(10);
  await turns.take('a');
  expect(await turns.take('b')).toBeTypeOf('function');
});

test('ending a turn twice lets only one other turn begin', async () => {
  const turns = createTurns();
  const end = await turns.take('a');
  const started: string[] = [];
  for (const caller of ['b', 'c']) void turns.take(caller).then(() => started.push(caller));
  end();
  end();
  await vi.waitFor(() => expect(started).not.toEqual([]));
  for (let pass = 0; pass < 5; pass += 1) await nextTurn();
  expect(started).toEqual(['b']);
});
