import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { classifyError, createThrottle, quoteServer } from './mail-transport.ts';

const error = (fields: object) => Object.assign(new Error('failed'), fields);

test.each([
  ['RCPT TO', 550, 'refused'],
  ['RCPT TO', 450, 'deferred'],
  ['RCPT TO', 421, 'deferred'],
  ['DATA', 554, 'refused'],
  ['DATA', 452, 'deferred'],
  ['MAIL FROM', 550, 'unavailable'],
  ['MAIL FROM', 451, 'unavailable'],
  ['AUTH PLAIN', 535, 'unavailable'],
  ['CONN', 554, 'unavailable'],
])('after %s, %i means: %s', (command, responseCode, kind) => {
  expect(classifyError(error({ command, responseCode, response: `${responseCode} no` }))).toMatchObject({
    kind,
    words: `${responseCode} no`,
  });
});

test('an error without a response of the server concerns all mails', () => {
  expect(classifyError(error({ code: 'ETIMEDOUT', command: 'CONN' }))).toEqual({
    kind: 'unavailable',
    words: 'ETIMEDOUT: failed',
  });
});

test('only 421 says that the server is busy', () => {
  const deferred = (responseCode: number) => classifyError(error({ command: 'RCPT TO', responseCode }));
  expect(deferred(421)).toMatchObject({ isServerBusy: true });
  expect(deferred(450)).toMatchObject({ isServerBusy: false });
});

test('what a server said is quoted without addresses, names of mailboxes and codes, in one line', () => {
  const words =
    '550-5.1.1 <Ada.Lovelace@example.org>: no user ADA.LOVELACE here,\r\n550 see https://x.example/claim/1#ABCDEF\u202e';
  expect(quoteServer(words, ['ada.lovelace@example.org', 'ada.lovelace', 'ABCDEF'])).toBe(
    '550-5.1.1 <…>: no user … here, 550 see https://x.example/claim/1#…',
  );
  expect(quoteServer('x'.repeat(1_000), [])).toHaveLength(300);
  expect(quoteServer('550 a+b(c) is no mailbox', ['a+b(c)'])).toBe('550 … is no mailbox');
});

test('calls begin one after another, with a pause, and at most so many run at the same time', async () => {
  const throttle = createThrottle(2, 20);
  const begins: number[] = [];
  let running = 0;
  // A timer of Node counts from the beginning of the iteration in which it is set.
  await nextIteration();
  await Promise.all(
    Array.from({ length: 5 }, () =>
      throttle(async () => {
        begins.push(performance.now());
        running += 1;
        expect(running).toBeLessThanOrEqual(2);
        await new Promise((resolve) => setTimeout(resolve, 30));
        running -= 1;
      }),
    ),
  );
  const [first = 0, ...later] = begins;
  for (const [index, begin] of later.entries()) {
    // Each timer of Node can end a millisecond early.
    expect(begin - first).toBeGreaterThan((index + 1) * (20 - 2));
  }
});
