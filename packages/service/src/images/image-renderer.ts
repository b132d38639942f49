import { BoundedCache } from './bounded-cache.ts';
import type { Picture } from './picture.ts';
import { type RenderLimits, RenderQueue } from './render-queue.ts';

export interface ImageRendererOptions extends RenderLimits {
  readonly cacheBytes: number;
}

/** Renders pictures as PNG, each once: calls for the same picture share one render, and finished ones are kept. */
export class ImageRenderer {
  readonly #queue: RenderQueue;
  readonly #finished: BoundedCache;
  readonly #rendering = new Map<string, Promise<Buffer>>();

  constructor({ cacheBytes, ...limits }: ImageRendererOptions) {
    this.#queue = new RenderQueue(limits);
    this.#finished = new BoundedCache(cacheBytes);
  }

  /** @throws `RenderBusy` if too many pictures wait already. */
  async render(picture: Picture): Promise<Buffer> {
    const key = JSON.stringify(picture);
    return this.#finished.get(key) ?? (await this.#renderOnce(key, picture));
  }

  /** The bytes of the finished pictures that are kept now. */
  get cachedBytes(): number {
    return this.#finished.bytes;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #renderOnce(key: string, picture: Picture): Promise<Buffer> {
    const known = this.#rendering.get(key);
    if (known) return known;
    const rendering = this.#queue
      .render(picture)
      .then((png) => {
        this.#finished.set(key, png);
        return png;
      })
      .finally(() => this.#rendering.delete(key));
    this.#rendering.set(key, rendering);
    return rendering;
  }
}
