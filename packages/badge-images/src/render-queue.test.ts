import { afterEach, expect, it } from 'vitest';
import { createRenderQueue, RenderBusy, type RenderQueue } from './render-queue.ts';

const UNRULY = new URL('./testing/unruly-worker.ts', import.meta.url);
const queues: RenderQueue[] = [];

function openQueue({ maxQueued = 8, timeoutMs = 20_000 } = {}): RenderQueue {
  const queue = createRenderQueue({ maxQueued, timeoutMs }, UNRULY);
  queues.push(queue);
  return queue;
}

async function renderText(queue: RenderQueue, headline: string): Promise<string> {
  return (await queue.render({ kind: 'poster', headline })).toString();
}

afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
});

it('renders in one thread, in the order of the calls', async () => {
  const queue = openQueue();
  const results = await Promise.all(['a', 'b', 'c'].map((headline) => renderText(queue, headline)));
  expect(results).toEqual(['a 1', 'b 2', 'c 3']);
});

it.each([
  ['exit', 'ended with code 3'],
  ['throw', 'out of memory'],
])(
  'replaces a thread that dies (%s), and rejects only the image that it was rendering',
  async (cause, message) => {
    const queue = openQueue();
    const before = renderText(queue, 'before');
    const deadly = renderText(queue, cause);
    const after = renderText(queue, 'after');
    await expect(deadly).rejects.toThrow(message);
    expect(await before).toBe('before 1');
    expect(await after).toBe('after 1');
  },
);

it('replaces a thread that hangs', async () => {
  const queue = openQueue({ timeoutMs: 2_000 });
  const hanging = renderText(queue, 'hang');
  const after = renderText(queue, 'after');
  await expect(hanging).rejects.toThrow(new RenderBusy('an image was not rendered within 2000 ms'));
  expect(await after).toBe('after 1');
});

it('rejects an image when the queue is full, and accepts it when there is room', async () => {
  const queue = openQueue({ maxQueued: 2 });
  const accepted = ['rendering', 'first', 'second'].map((headline) => renderText(queue, headline));
  await expect(renderText(queue, 'third')).rejects.toBeInstanceOf(RenderBusy);
  await Promise.all(accepted);
  expect(await renderText(queue, 'third')).toBe('third 4');
});

it('rejects queued and later images after it was closed', async () => {
  const queue = openQueue();
  const waiting = ['hang', 'next'].map((headline) => renderText(queue, headline));
  const outcomes = Promise.allSettled(waiting);
  await queue.close();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(renderText(queue, 'late')).rejects.toThrow('the image renderer is closed');
});
