import { createBufferCache } from './buffer-cache.ts';
import type { ImageSpec } from './draw-image.ts';
import { createRenderQueue } from './render-queue.ts';

/** Renders PNGs in a worker thread. Concurrent calls for the same image render it once. */
export interface ImageRenderer {
  /** Renders a built-in design, without a headline. */
  renderDesign(designId: string): Promise<Buffer>;
  /** Renders a token: its built-in design, with the headline on top. */
  renderTokenImage(token: { designId: string; headline: string }): Promise<Buffer>;
  /** Renders the still image for a token whose upload is a video. */
  renderPoster(token: { headline: string }): Promise<Buffer>;
  /** Renders the default community logo. */
  renderLogo(): Promise<Buffer>;
  /** The size of the cached images, in bytes. */
  readonly cachedBytes: number;
  /** Ends the worker thread. Unfinished and later calls fail. */
  close(): Promise<void>;
}

export interface ImageRendererOptions {
  /** The most bytes of finished images to keep in memory. */
  readonly cacheBytes?: number;
  /** The most images to queue. Further calls fail with `RenderBusy`. */
  readonly maxQueued?: number;
  /** How long one image may take. After that, its call fails with `RenderBusy`, and the thread is replaced. */
  readonly timeoutMs?: number;
}

/** Creates a renderer. Its thread starts with the first image. */
export function createImageRenderer({
  cacheBytes = 64 * 2 ** 20,
  maxQueued = 64,
  timeoutMs = 30_000,
}: ImageRendererOptions = {}): ImageRenderer {
  const queue = createRenderQueue({ maxQueued, timeoutMs });
  const finished = createBufferCache(cacheBytes);
  const running = new Map<string, Promise<Buffer>>();

  async function render(spec: ImageSpec): Promise<Buffer> {
    const key = JSON.stringify(spec);
    return finished.get(key) ?? running.get(key) ?? (await start(key, spec));
  }

  function start(key: string, spec: ImageSpec): Promise<Buffer> {
    const rendering = queue
      .render(spec)
      .then((png) => {
        finished.set(key, png);
        return png;
      })
      .finally(() => running.delete(key));
    running.set(key, rendering);
    return rendering;
  }

  return {
    renderDesign: (designId) => render({ kind: 'design', designId }),
    renderTokenImage: ({ designId, headline }) => render({ kind: 'token', designId, headline }),
    renderPoster: ({ headline }) => render({ kind: 'poster', headline }),
    renderLogo: () => render({ kind: 'logo' }),
    get cachedBytes() {
      return finished.bytes;
    },
    close: () => queue.close(),
  };
}
