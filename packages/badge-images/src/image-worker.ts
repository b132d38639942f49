import { parentPort } from 'node:worker_threads';
import { drawImage, type ImageSpec } from './draw-image.ts';
import { shrinkFile } from './shrink-file.ts';

// The worker thread of render-queue.ts. Skia draws the pixels in the calling thread, even in the asynchronous
// `encode`. In the main thread, that would block the event loop for 40 ms or more.

/** What the worker gets. `file` is the content of the file of a `FileSpec`. */
export interface RenderTask {
  readonly spec: ImageSpec;
  readonly file: Uint8Array | null;
}

/** The worker's reply: one for each `RenderTask`, in order. An empty image stands for the file itself. */
export type RenderResult = { readonly image: Uint8Array } | { readonly error: string };

const FILE_ITSELF = new Uint8Array();

async function render({ spec, file }: RenderTask): Promise<RenderResult> {
  try {
    if (spec.kind !== 'file') return { image: drawImage(spec).encodeSync('png') };
    return { image: (await shrinkFile(file ?? FILE_ITSELF, spec)) ?? FILE_ITSELF };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', async (task: RenderTask) => parentPort?.postMessage(await render(task)));
