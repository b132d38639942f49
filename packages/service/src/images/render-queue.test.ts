import { afterEach, expect, it } from 'vitest';
import type { Picture } from './picture.ts';
import { RenderBusy, RenderQueue } from './render-queue.ts';

const UNRULY = new URL('./testing/unruly-worker.ts', import.meta.url);
const queues: RenderQueue[] = [];

function openQueue({ maxQueued = 8, timeoutMs = 20_000 } = {}): RenderQueue {
  const queue = new RenderQueue({ maxQueued, timeoutMs }, UNRULY);
  queues.push(queue);
  return queue;
}

function poster(headline: string): Picture {
  return { kind: 'poster', headline };
}

async function answerOf(queue: RenderQueue, headline: string): Promise<string> {
  return (await queue.render(poster(headline))).toString();
}

afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
});

it('renders in one thread, in the order of the calls', async () => {
  const queue = openQueue();
  const answers = await Promise.all(['a', 'b', 'c'].map((headline) => answerOf(queue, headline)));
  expect(answers).toEqual(['a 1', 'b 2', 'c 3']);
});

it.each([
  ['exit', 'ended with code 3'],
  ['throw', 'out of memory'],
])('replaces a thread that dies (%s), failing only the picture it died of', async (cause, message) => {
  const queue = openQueue();
  const before = answerOf(queue, 'before');
  const deadly = answerOf(queue, cause);
  const after = answerOf(queue, 'after');
  await expect(deadly).rejects.toThrow(message);
  expect(await before).toBe('before 1');
  expect(await after).toBe('after 1');
});

it('replaces a thread that hangs', async () => {
  const queue = openQueue({ timeoutMs: 2_000 });
  const hanging = answerOf(queue, 'hang');
  const after = answerOf(queue, 'after');
  await expect(hanging).rejects.toThrow(new RenderBusy('a picture was not rendered within 2000 ms'));
  expect(await after).toBe('after 1');
});

it('refuses a picture when the queue is full, and takes it when there is room', async () => {
  const queue = openQueue({ maxQueued: 2 });
  const taken = ['rendering', 'first', 'second'].map((headline) => answerOf(queue, headline));
  await expect(answerOf(queue, 'third')).rejects.toBeInstanceOf(RenderBusy);
  await Promise.all(taken);
  expect(await answerOf(queue, 'third')).toBe('third 4');
});

it('fails what waits when it is closed, and everything after that', async () => {
  const queue = openQueue();
  const waiting = ['hang', 'next'].map((headline) => answerOf(queue, headline));
  const outcomes = Promise.allSettled(waiting);
  await queue.close();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(answerOf(queue, 'late')).rejects.toThrow('the image renderer is closed');
});
