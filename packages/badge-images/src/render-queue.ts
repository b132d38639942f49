import { Worker } from 'node:worker_threads';
import { createTurnQueue } from '@badge/turn-queue';
import type { ImageSpec } from './draw-image.ts';
import type { RenderResult, RenderTask } from './image-worker.ts';

/** The image cannot be rendered in time: the queue is full or closed, or the wait or the render timed out. */
export class RenderBusy extends Error {
  override readonly name = 'RenderBusy';
}

/** One client has too many images in the queue. Other clients can still add images. */
export class ClientBusy extends Error {
  override readonly name = 'ClientBusy';
}

/** Who requests an image. */
export interface Requester {
  /** Clients take turns. Requests with the same client share its turns. */
  readonly client: string;
  /** Aborts the request. Its image is then not rendered, unless another request waits for it. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the image is not cached, because it is hardly requested again. Default: false. */
  readonly isPreview?: boolean;
}

/** Reads the file of a `FileSpec`. Its memory is given to the worker thread. */
export type ReadFile = (fileId: string) => Promise<Uint8Array<ArrayBuffer>>;

export interface RenderQueueOptions {
  /**
   * The most images that wait. A client can add an image only if it has fewer in the queue than there are
   * free places.
   */
  readonly maxQueued: number;
  /** How long a call may wait for the start of its image. */
  readonly maxWaitMs: number;
  /** How long one image may take, with the read of its file. After that, the thread is replaced. */
  readonly timeoutMs: number;
  /** Called when it is the turn of an image of a file, so that only one file is in memory. */
  readonly readFile?: ReadFile | undefined;
  /**
   * Called with each rendered image, even if nobody waits for it any more. `isPreview` says whether all who
   * requested it wanted only a preview.
   */
  readonly onRendered?: ((spec: ImageSpec, image: Buffer, isPreview: boolean) => void) | undefined;
}

export interface RenderQueue {
  /** The number of images that wait. */
  readonly size: number;
  /**
   * Renders an image. Calls for the same image share one render. Rejects with `ClientBusy`, with
   * `RenderBusy`, with the reason of the requester's signal, or with the error of the rendering or of
   * `readFile`. An empty image stands for the file itself (`FileSpec`).
   */
  render(spec: ImageSpec, requester: Requester): Promise<Buffer>;
  /** Ends the worker thread. Unfinished and later calls fail. */
  close(): Promise<void>;
}

interface Waiter {
  readonly client: string;
  finish(result: Buffer | Error): void;
}

interface Job {
  readonly spec: ImageSpec;
  readonly waiters: Set<Waiter>;
  isPreview: boolean;
}

/**
 * Creates a queue that renders one image at a time in a worker thread. Clients take turns. The thread starts
 * with the first image and is replaced if it dies or hangs. While idle, it does not keep the process alive.
 */
export function createRenderQueue(
  { maxQueued, maxWaitMs, timeoutMs, readFile, onRendered }: RenderQueueOptions,
  workerUrl = new URL('./image-worker.ts', import.meta.url),
): RenderQueue {
  // A job is queued once for each of its clients.
  const queued = createTurnQueue<Job>();
  // The images that wait or are being rendered.
  const jobs = new Map<string, Job>();
  let running: Job | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function startNext(): void {
    if (running) return;
    const next = queued.take();
    if (!next) {
      worker?.unref();
      return;
    }
    const job = next.item;
    running = job;
    for (const { client } of job.waiters) queued.remove(client, job);
    worker ??= startWorker();
    worker.ref();
    timer = setTimeout(
      () => discardWorker(new RenderBusy(`an image was not rendered within ${timeoutMs} ms`)),
      timeoutMs,
    );
    if (job.spec.kind === 'file') void renderFile(job, job.spec.fileId);
    else send({ spec: job.spec, file: null });
  }

  async function renderFile(job: Job, fileId: string): Promise<void> {
    try {
      if (readFile === undefined) throw new Error('the renderer reads no files');
      const file = await readFile(fileId);
      // The job may have timed out meanwhile.
      if (running === job) send({ spec: job.spec, file }, [file.buffer]);
    } catch (error) {
      if (running === job) finishRunning(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function send(task: RenderTask, transferred: ArrayBuffer[] = []): void {
    worker?.postMessage(task, transferred);
  }

  function startWorker(): Worker {
    // With system fonts, images would differ from machine to machine.
    const started = new Worker(workerUrl, { env: { DISABLE_SYSTEM_FONTS_LOAD: '1' } });
    started.on('message', (result: RenderResult) => {
      if (started === worker) finishRunning(result);
    });
    const onDeath = (error: Error) => {
      if (started === worker) discardWorker(error);
    };
    started.on('error', onDeath);
    started.on('exit', (code) => onDeath(new Error(`the image worker ended with code ${code}`)));
    return started;
  }

  function finishRunning(result: RenderResult | Error): void {
    clearTimeout(timer);
    if (running) {
      const job = running;
      running = undefined;
      const image = toImage(result);
      if (!(image instanceof Error)) onRendered?.(job.spec, image, job.isPreview);
      finish(job, image);
    }
    startNext();
  }

  function finish(job: Job, result: Buffer | Error): void {
    jobs.delete(keyOf(job.spec));
    for (const waiter of job.waiters) waiter.finish(result);
  }

  async function discardWorker(error: Error): Promise<void> {
    const discarded = worker;
    worker = undefined;
    finishRunning(error);
    await discarded?.terminate();
  }

  function countWaiting(): number {
    return jobs.size - (running === undefined ? 0 : 1);
  }

  /** Returns why the client may not add another image, or null. */
  function findObstacle(client: string): Error | null {
    const free = maxQueued - countWaiting();
    if (free <= 0) return new RenderBusy(`${maxQueued} images are already queued`);
    return queued.sizeOf(client) < free
      ? null
      : new ClientBusy(`${queued.sizeOf(client)} images of the client are already queued`);
  }

  /** Removes a request from a job. Also removes the job, unless it is running or has other requests. */
  function leave(job: Job, waiter: Waiter): void {
    job.waiters.delete(waiter);
    if (job === running) return;
    const hasRequestOfSameClient = [...job.waiters].some(({ client }) => client === waiter.client);
    if (!hasRequestOfSameClient) queued.remove(waiter.client, job);
    if (job.waiters.size === 0) jobs.delete(keyOf(job.spec));
  }

  /** Adds a request to a job, and waits for the image. */
  function join(job: Job, { client, signal }: Requester): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const waitTimer = setTimeout(() => {
        if (job !== running) stop(new RenderBusy(`an image has waited for ${maxWaitMs} ms`));
      }, maxWaitMs);
      const onAbort = () => stop(signal?.reason as Error);
      const waiter: Waiter = {
        client,
        finish(result) {
          clearTimeout(waitTimer);
          signal?.removeEventListener('abort', onAbort);
          if (result instanceof Error) reject(result);
          else resolve(result);
        },
      };
      function stop(reason: Error): void {
        leave(job, waiter);
        waiter.finish(reason);
      }
      signal?.addEventListener('abort', onAbort);
      job.waiters.add(waiter);
    });
  }

  return {
    get size() {
      return countWaiting();
    },
    render(spec, requester) {
      const { client, signal, isPreview = false } = requester;
      if (isClosed) return Promise.reject(new RenderBusy('the image renderer is closed'));
      if (signal?.aborted) return Promise.reject(signal.reason);
      const job = jobs.get(keyOf(spec)) ?? { spec, waiters: new Set(), isPreview };
      if (job !== running && !queued.has(client, job)) {
        const obstacle = findObstacle(client);
        if (obstacle !== null) return Promise.reject(obstacle);
        jobs.set(keyOf(spec), job);
        queued.add(client, job);
      }
      job.isPreview &&= isPreview;
      const rendering = join(job, requester);
      startNext();
      return rendering;
    },
    async close() {
      isClosed = true;
      const error = new RenderBusy('the image renderer is closed');
      while (queued.size > 0) {
        const next = queued.take();
        if (next && jobs.has(keyOf(next.item.spec))) finish(next.item, error);
      }
      await discardWorker(error);
    },
  };
}

/** Equal specs have equal keys. */
function keyOf(spec: ImageSpec): string {
  return JSON.stringify(spec);
}

function toImage(result: RenderResult | Error): Buffer | Error {
  if (result instanceof Error) return result;
  if ('error' in result) return new Error(result.error);
  const { buffer, byteOffset, byteLength } = result.image;
  return Buffer.from(buffer, byteOffset, byteLength);
}
