import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('functions with the same name run one after another, also after an error, and others do not wait', async () => {
  const runInTurn = createTurns();
  const events: string[] = [];
  const gates = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  const run = (name: string, label: string, gate?: Promise<void>) =>
    runInTurn(name, async () => {
      events.push(`start ${label}`);
      await gate;
      events.push(`end ${label}`);
      return label;
    });
  const first = run('a', 'first', gates.a.promise);
  const failing = runInTurn('a', () => Promise.reject(new Error('failed')));
  const last = run('a', 'last');
  expect(await run('b', 'other')).toBe('other');
  expect(events).toEqual(['start first', 'start other', 'end other']);
  gates.a.resolve();
  await expect(failing).rejects.toThrow('failed');
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
  expect(events.slice(3)).toEqual(['end first', 'start last', 'end last']);
});
