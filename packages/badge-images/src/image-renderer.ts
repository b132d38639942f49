import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createDiskCache } from './disk-cache.ts';
import type { ImageSpec } from './draw-image.ts';
import { drawingVersion } from './drawing-version.ts';
import { createRenderQueue, type ReadFile, type Requester } from './render-queue.ts';

/**
 * Renders images in a worker thread: PNGs, and smaller copies of files. Clients share its time fairly.
 * Concurrent calls for the same image render it once.
 */
export interface ImageRenderer {
  /** Returns a hash that identifies the bytes of an image, in 64 hex digits. Renders nothing. */
  hashOf(spec: ImageSpec): string;
  /**
   * Returns an image from memory, from disk, or after rendering it. An image of a file is empty if the file
   * is not larger, or cannot be read: then show the file itself.
   *
   * Rejects with `ClientBusy` if the client has too many images in the queue. Rejects with `RenderBusy` if
   * the queue is full or the image is not rendered in time, and with the reason of the signal if it aborts.
   */
  render(spec: ImageSpec, requester?: Requester): Promise<Buffer>;
  /** The size of the images that are cached in memory, in bytes. */
  readonly cachedBytes: number;
  /** The number of images that wait to be rendered. */
  readonly queuedImages: number;
  /** Ends the worker thread. Unfinished calls fail. Later calls fail too, unless their image is cached. */
  close(): Promise<void>;
}

export interface ImageRendererOptions {
  /** The most bytes of images to keep in memory. */
  readonly cacheBytes?: number;
  /** Where to keep images on disk. By default, none are kept. */
  readonly diskCache?: { readonly directory: string; readonly maxBytes: number } | undefined;
  /** Called with each error of the disk cache. */
  readonly onDiskError?: (error: Error) => void;
  /** Reads the files of `FileSpec`s. Its errors become those of `render`. */
  readonly readFile?: ReadFile;
  /** Called after each rendered image. */
  readonly onRendered?: () => void;
  /**
   * The most images to queue. A client can queue an image only if it has fewer in the queue than there are
   * free places.
   */
  readonly maxQueued?: number;
  /** How long a call may wait for the start of its image. After that, it fails with `RenderBusy`. */
  readonly maxWaitMs?: number;
  /**
   * How long one image may take. After that, its call fails with `RenderBusy`, and the thread is replaced.
   */
  readonly timeoutMs?: number;
}

const ANYONE: Requester = { client: '' };

/** Creates a renderer. Its thread starts with the first image. */
export function createImageRenderer({
  cacheBytes = 64 * 2 ** 20,
  diskCache,
  onDiskError,
  readFile,
  onRendered,
  maxQueued = 256,
  maxWaitMs = 20_000,
  timeoutMs = 10_000,
}: ImageRendererOptions = {}): ImageRenderer {
  const memory = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, cacheBytes),
    // The cache needs a size of at least 1.
    sizeCalculation: (image) => Math.max(1, image.length),
  });
  const disk = diskCache && createDiskCache({ ...diskCache, onError: onDiskError });
  const diskReads = new Map<string, Promise<Buffer | undefined>>();
  const queue = createRenderQueue({
    maxQueued,
    maxWaitMs,
    timeoutMs,
    readFile,
    onRendered: (spec, image, isPreview) => {
      onRendered?.();
      if (isPreview) return;
      const hash = hashOf(spec);
      memory.set(hash, image);
      disk?.set(hash, image);
    },
  });

  // Concurrent calls read a file once.
  function readFromDisk(hash: string): Promise<Buffer | undefined> | undefined {
    const started = diskReads.get(hash);
    if (disk === undefined || started !== undefined) return started;
    const reading = disk
      .get(hash)
      .then((image) => {
        if (image !== undefined) memory.set(hash, image);
        return image;
      })
      .finally(() => diskReads.delete(hash));
    diskReads.set(hash, reading);
    return reading;
  }

  return {
    hashOf,
    async render(spec, requester = ANYONE) {
      const hash = hashOf(spec);
      // Memory is checked again, because another call may have rendered the image during the disk read.
      return (
        memory.get(hash) ??
        (await readFromDisk(hash)) ??
        memory.get(hash) ??
        (await queue.render(spec, requester))
      );
    },
    get cachedBytes() {
      return memory.calculatedSize;
    },
    get queuedImages() {
      return queue.size;
    },
    async close() {
      await queue.close();
      await disk?.close();
    },
  };
}

function hashOf(spec: ImageSpec): string {
  return createHash('sha256').update(drawingVersion()).update(JSON.stringify(spec)).digest('hex');
}
