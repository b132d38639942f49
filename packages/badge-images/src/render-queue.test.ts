import { afterEach, describe, expect, it } from 'vitest';
import {
  ClientBusy,
  createRenderQueue,
  RenderBusy,
  type RenderQueue,
  type RenderQueueOptions,
} from './render-queue.ts';

const FAILING_WORKER = new URL('./testing/failing-worker.ts', import.meta.url);
const queues: RenderQueue[] = [];

function openQueue(options: Partial<RenderQueueOptions> = {}): RenderQueue {
  const queue = createRenderQueue(
    { maxQueued: 32, maxWaitMs: 20_000, timeoutMs: 20_000, ...options },
    FAILING_WORKER,
  );
  queues.push(queue);
  return queue;
}

/** Returns the headline and a number: how many images the thread has rendered since it started. */
async function renderText(
  queue: RenderQueue,
  headline: string,
  { client = 'client', signal }: { client?: string; signal?: AbortSignal } = {},
): Promise<string> {
  return (await queue.render({ kind: 'poster', headline }, { client, signal })).toString();
}

/** Opens a queue that records the headlines in the order in which they are rendered. */
function openRecordedQueue(options: Partial<RenderQueueOptions> = {}) {
  const rendered: string[] = [];
  const queue = openQueue({
    ...options,
    onRendered: (spec) => rendered.push('headline' in spec ? spec.headline : spec.kind),
  });
  return { queue, rendered };
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
    const failing = renderText(queue, cause);
    const after = renderText(queue, 'after');
    await expect(failing).rejects.toThrow(message);
    expect(await before).toBe('before 1');
    expect(await after).toBe('after 1');
  },
);

it('says whether an image was only a preview for all who requested it', async () => {
  const previews: boolean[] = [];
  const queue = openQueue({ onRendered: (_spec, _png, isPreview) => previews.push(isPreview) });
  const first = renderText(queue, 'first');
  const preview = { client: 'client', isPreview: true };
  const onlyPreview = queue.render({ kind: 'poster', headline: 'preview' }, preview);
  const both = queue.render({ kind: 'poster', headline: 'both' }, preview);
  await Promise.all([first, onlyPreview, both, renderText(queue, 'both')]);
  expect(previews).toEqual([false, true, false]);
});

it('replaces a thread that hangs', async () => {
  const queue = openQueue({ timeoutMs: 2_000 });
  const hanging = renderText(queue, 'hang');
  const after = renderText(queue, 'after');
  await expect(hanging).rejects.toThrow(new RenderBusy('an image was not rendered within 2000 ms'));
  expect(await after).toBe('after 1');
});

it('renders an image of another client after at most one more image of a client that has many images in the queue', async () => {
  const { queue, rendered } = openRecordedQueue({ maxQueued: 128 });
  const many = Array.from({ length: 60 }, (_, index) => renderText(queue, `${index}`, { client: 'many' }));
  await many[0];
  await renderText(queue, 'other', { client: 'other' });
  expect(rendered.indexOf('other')).toBeLessThanOrEqual(2);
  await Promise.all(many);
});

it('rejects an image of a client that has as many in the queue as there are free places, and accepts images of other clients', async () => {
  const queue = openQueue({ maxQueued: 8 });
  const accepted = ['running', '1', '2', '3', '4'].map((headline) => renderText(queue, headline));
  await expect(renderText(queue, '5')).rejects.toBeInstanceOf(ClientBusy);
  accepted.push(renderText(queue, '1'), renderText(queue, '5', { client: 'other' }));
  await Promise.all(accepted);
  expect(await renderText(queue, '6')).toBe('6 7');
});

it('rejects a new image while images of several clients fill the queue', async () => {
  const queue = openQueue({ maxQueued: 2 });
  const clients = ['running', 'a', 'b'];
  const accepted = clients.map((client) => renderText(queue, client, { client }));
  await expect(renderText(queue, 'c', { client: 'c' })).rejects.toBeInstanceOf(RenderBusy);
  await Promise.all(accepted);
});

it('renders an image once for all clients that wait for it, as soon as the turn of one of them reaches it', async () => {
  const { queue, rendered } = openRecordedQueue();
  const before = ['running', '1', '2', '3', 'shared'].map((headline) => renderText(queue, headline));
  const other = renderText(queue, 'shared', { client: 'other' });
  const results = await Promise.all([...before, other]);
  expect(results.at(-1)).toBe(results.at(-2));
  expect(rendered).toEqual(['running', 'shared', '1', '2', '3']);
});

it('does not render an image if all its requests were aborted', async () => {
  const { queue, rendered } = openRecordedQueue();
  const controller = new AbortController();
  const running = renderText(queue, 'running');
  const onlyRequest = renderText(queue, 'unwanted', { signal: controller.signal });
  const oneOfTwoRequests = renderText(queue, 'shared', { signal: controller.signal });
  const shared = renderText(queue, 'shared', { client: 'other' });
  controller.abort(new Error('aborted'));
  await expect(onlyRequest).rejects.toThrow('aborted');
  await expect(oneOfTwoRequests).rejects.toThrow('aborted');
  expect(queue.size).toBe(1);
  expect(await Promise.all([running, shared])).toEqual(['running 1', 'shared 2']);
  expect(rendered).toEqual(['running', 'shared']);
});

it('calls onRendered even if the request was aborted while its image was being rendered', async () => {
  const { queue, rendered } = openRecordedQueue();
  const controller = new AbortController();
  const request = renderText(queue, 'running', { signal: controller.signal });
  controller.abort(new Error('aborted'));
  await expect(request).rejects.toThrow('aborted');
  expect(await renderText(queue, 'next')).toBe('next 2');
  expect(rendered).toEqual(['running', 'next']);
});

it('rejects an image that has waited too long, and renders those after it', async () => {
  const queue = openQueue({ maxWaitMs: 500, timeoutMs: 2_000 });
  const hanging = renderText(queue, 'hang');
  const outcomes = Promise.allSettled([hanging, renderText(queue, 'late')]);
  expect((await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual([
    'an image was not rendered within 2000 ms',
    'an image has waited for 500 ms',
  ]);
  expect(await renderText(queue, 'next')).toBe('next 1');
});

it('close() rejects unfinished and later images', async () => {
  const queue = openQueue();
  const waiting = ['hang', 'next'].map((headline) => renderText(queue, headline));
  const outcomes = Promise.allSettled(waiting);
  await queue.close();
  const closed = new RenderBusy('the image renderer is closed');
  expect(await outcomes).toEqual([
    { status: 'rejected', reason: closed },
    { status: 'rejected', reason: closed },
  ]);
  await expect(renderText(queue, 'late')).rejects.toThrow(closed);
});

describe('files', () => {
  const fileSpec = (fileId: string) =>
    ({ kind: 'file', fileId, contentType: 'image/png', sizePixels: 64 }) as const;
  const renderFile = async (queue: RenderQueue, fileId: string) =>
    (await queue.render(fileSpec(fileId), { client: 'client' })).toString();

  it('are read one at a time, when it is their turn, and concurrent calls for one file read it once', async () => {
    let open = 0;
    const reads: string[] = [];
    const queue = openQueue({
      readFile: async (fileId) => {
        open += 1;
        expect(open).toBe(1);
        reads.push(fileId);
        await new Promise(setImmediate);
        open -= 1;
        return new TextEncoder().encode(`content of ${fileId}`);
      },
    });
    const results = await Promise.all([
      renderText(queue, 'before'),
      renderFile(queue, 'a'),
      renderFile(queue, 'a'),
      renderFile(queue, 'b'),
    ]);
    expect(results).toEqual(['before 1', 'content of a 2', 'content of a 2', 'content of b 3']);
    expect(reads).toEqual(['a', 'b']);
  });

  it('that cannot be read fail alone', async () => {
    const queue = openQueue({
      readFile: async () => {
        throw new Error('the database is gone');
      },
    });
    const failing = renderFile(queue, 'a');
    const after = renderText(queue, 'after');
    await expect(failing).rejects.toThrow('the database is gone');
    expect(await after).toBe('after 1');
    await expect(renderFile(openQueue(), 'a')).rejects.toThrow('reads no files');
  });

  it('that are read too slowly time out, and are not drawn later', async () => {
    let finishRead = () => {};
    const queue = openQueue({
      timeoutMs: 3_000,
      readFile: () =>
        new Promise((resolve) => {
          finishRead = () => resolve(new TextEncoder().encode('late'));
        }),
    });
    await expect(renderFile(queue, 'a')).rejects.toThrow(RenderBusy);
    finishRead();
    expect(await renderText(queue, 'after')).toBe('after 1');
  });
});
