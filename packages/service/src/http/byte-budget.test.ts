import { expect, onTestFinished, test, vi } from 'vitest';
import { createByteBudget, type Reservation } from './byte-budget.ts';

const NEVER = new AbortController().signal;

function openBudget(maxWaitMs = 60_000) {
  const budget = createByteBudget({ maxBytes: 100, maxWaitMs, refusal: 'Too many.' });
  const admitted: string[] = [];
  const reserve = (name: string, bytes: number, { caller = 'a', signal = NEVER } = {}) =>
    budget.reserve(caller, bytes, signal).then((reservation) => {
      admitted.push(name);
      return reservation;
    });
  return { admitted, reserve };
}

/** Runs the code that waits for resolved promises. */
const runPendingPromises = () => new Promise((resolve) => setImmediate(resolve));

test('reservations above the budget wait in order, and those of another caller do not', async () => {
  const { admitted, reserve } = openBudget();
  const [first] = await Promise.all([reserve('1', 60), reserve('2', 40)]);
  const waiting = [reserve('3', 50), reserve('4', 5)];
  await reserve('other', 100, { caller: 'b' });
  await runPendingPromises();
  expect(admitted).toEqual(['1', '2', 'other']);
  first.shrinkTo(20);
  await runPendingPromises();
  expect(admitted).toEqual(['1', '2', 'other']);
  first.release();
  await Promise.all(waiting);
  expect(admitted).toEqual(['1', '2', 'other', '3', '4']);
});

test('a reservation can be released twice, and one larger than the budget is admitted alone', async () => {
  const { admitted, reserve } = openBudget();
  const small = await reserve('small', 50);
  const large = reserve('large', 1_000);
  const next = reserve('next', 60);
  small.release();
  small.release();
  await runPendingPromises();
  expect(admitted).toEqual(['small', 'large']);
  (await large).release();
  await next;
});

test('a reservation whose client has left is rejected, and the next one is admitted', async () => {
  const { admitted, reserve } = openBudget();
  const first = await reserve('first', 100);
  const controller = new AbortController();
  const left = reserve('left', 100, { signal: controller.signal });
  const next = reserve('next', 50);
  controller.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect(reserve('late', 1, { signal: controller.signal })).rejects.toThrow('left');
  first.release();
  await next;
  expect(admitted).toEqual(['first', 'next']);
});

test('a wait that is too long is refused', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { reserve } = openBudget(20_000);
  const first: Reservation = await reserve('first', 100);
  const refused = expect(reserve('second', 10)).rejects.toMatchObject({
    errorName: 'RateLimited',
    message: 'Too many.',
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await refused;
  first.release();
});
