import { parentPort } from 'node:worker_threads';
import { drawImage, type ImageSpec } from './draw-image.ts';

// The worker thread of render-queue.ts. Skia draws the pixels in the calling thread, even in the asynchronous `encode`.
// In the main thread, that would block the event loop for 40 ms or more.

/** The worker's reply: one for each `ImageSpec`, in order. */
export type RenderResult = { readonly png: Uint8Array } | { readonly error: string };

function render(spec: ImageSpec): RenderResult {
  try {
    return { png: drawImage(spec).encodeSync('png') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (spec: ImageSpec) => parentPort?.postMessage(render(spec)));
