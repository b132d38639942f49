import { Worker } from 'node:worker_threads';
import type { ImageSpec } from './draw-image.ts';
import type { RenderResult } from './image-worker.ts';

/** The image cannot be rendered in time: the queue is full, or the render timed out. */
export class RenderBusy extends Error {
  override readonly name = 'RenderBusy';
}

export interface RenderQueue {
  /** Renders an image after those queued before it. Rejects with `RenderBusy` if the queue is full. */
  render(spec: ImageSpec): Promise<Buffer>;
  /** Ends the worker thread. Unfinished and later calls fail. */
  close(): Promise<void>;
}

interface Job {
  readonly spec: ImageSpec;
  readonly resolve: (png: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates a queue that renders one image at a time in a worker thread. The thread starts with the first image
 * and is replaced if it dies or hangs. While idle, it does not keep the process alive.
 */
export function createRenderQueue(
  { maxQueued, timeoutMs }: { maxQueued: number; timeoutMs: number },
  workerUrl = new URL('./image-worker.ts', import.meta.url),
): RenderQueue {
  const queued: Job[] = [];
  let current: Job | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function startNext(): void {
    if (current) return;
    current = queued.shift();
    if (!current) {
      worker?.unref();
      return;
    }
    worker ??= startWorker();
    worker.ref();
    worker.postMessage(current.spec);
    timer = setTimeout(
      () => discardWorker(new RenderBusy(`an image was not rendered within ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  function startWorker(): Worker {
    // With system fonts, images would differ from machine to machine.
    const started = new Worker(workerUrl, { env: { DISABLE_SYSTEM_FONTS_LOAD: '1' } });
    started.on('message', (result: RenderResult) => {
      if (started === worker) finishCurrent(result);
    });
    const onDeath = (error: Error) => {
      if (started === worker) discardWorker(error);
    };
    started.on('error', onDeath);
    started.on('exit', (code) => onDeath(new Error(`the image worker ended with code ${code}`)));
    return started;
  }

  function finishCurrent(result: RenderResult | Error): void {
    clearTimeout(timer);
    const job = current;
    current = undefined;
    if (result instanceof Error) {
      job?.reject(result);
    } else if ('png' in result) {
      const { buffer, byteOffset, byteLength } = result.png;
      job?.resolve(Buffer.from(buffer, byteOffset, byteLength));
    } else {
      job?.reject(new Error(result.error));
    }
    startNext();
  }

  async function discardWorker(error: Error): Promise<void> {
    const discarded = worker;
    worker = undefined;
    finishCurrent(error);
    await discarded?.terminate();
  }

  return {
    render(spec) {
      if (isClosed) return Promise.reject(new Error('the image renderer is closed'));
      if (queued.length >= maxQueued) {
        return Promise.reject(new RenderBusy(`${queued.length} images are already queued`));
      }
      return new Promise((resolve, reject) => {
        queued.push({ spec, resolve, reject });
        startNext();
      });
    },
    async close() {
      isClosed = true;
      const error = new Error('the image renderer is closed');
      for (const { reject } of queued.splice(0)) reject(error);
      await discardWorker(error);
    },
  };
}
