import { Worker } from 'node:worker_threads';
import type { Picture, Rendered } from './picture.ts';

/** The picture is not to be had in time: too many wait already, or it took too long. */
export class RenderBusy extends Error {
  override readonly name = 'RenderBusy';
}

export interface RenderLimits {
  readonly maxQueued: number;
  readonly timeoutMs: number;
}

interface Job {
  readonly picture: Picture;
  readonly resolve: (png: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Renders pictures one after another in a thread of its own, which starts with the first picture,
 * is replaced when it dies or hangs, and does not keep the process alive while it has nothing to do.
 */
// A thread: Skia rasterises inside the call to `encode`, which would hold the event loop for 40 ms and more.
export class RenderQueue {
  readonly #limits: RenderLimits;
  readonly #workerUrl: URL;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limits: RenderLimits, workerUrl = new URL('./image-worker.ts', import.meta.url)) {
    this.#limits = limits;
    this.#workerUrl = workerUrl;
  }

  /** @throws `RenderBusy` if the queue is full. */
  render(picture: Picture): Promise<Buffer> {
    if (this.#isClosed) return Promise.reject(new Error('the image renderer is closed'));
    if (this.#waiting.length >= this.#limits.maxQueued) {
      return Promise.reject(new RenderBusy(`${this.#waiting.length} pictures wait to be rendered`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ picture, resolve, reject });
      this.#startNext();
    });
  }

  /** Ends the thread; what it has not rendered by now fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new Error('the image renderer is closed');
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    await this.#discardWorker(error);
  }

  #startNext(): void {
    if (this.#current) return;
    this.#current = this.#waiting.shift();
    if (!this.#current) {
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    this.#worker.postMessage(this.#current.picture);
    const { timeoutMs } = this.#limits;
    this.#timer = setTimeout(
      () => this.#discardWorker(new RenderBusy(`a picture was not rendered within ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  #startWorker(): Worker {
    // System fonts would make pictures differ from machine to machine.
    const worker = new Worker(this.#workerUrl, { env: { DISABLE_SYSTEM_FONTS_LOAD: '1' } });
    worker.on('message', (rendered: Rendered) => {
      if (worker === this.#worker) this.#settle(rendered);
    });
    const onDeath = (error: Error) => {
      if (worker === this.#worker) this.#discardWorker(error);
    };
    worker.on('error', onDeath);
    worker.on('exit', (code) => onDeath(new Error(`the image worker ended with code ${code}`)));
    return worker;
  }

  #settle(rendered: Rendered | Error): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    if (rendered instanceof Error) {
      job?.reject(rendered);
    } else if ('png' in rendered) {
      const { buffer, byteOffset, byteLength } = rendered.png;
      job?.resolve(Buffer.from(buffer, byteOffset, byteLength));
    } else {
      job?.reject(new Error(rendered.error));
    }
    this.#startNext();
  }

  #discardWorker(error: Error): Promise<unknown> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#settle(error);
    return worker?.terminate() ?? Promise.resolve();
  }
}
