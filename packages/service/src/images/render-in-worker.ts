import { Worker } from 'node:worker_threads';

let lastRender: Promise<unknown> = Promise.resolve();

function runWorker(picture: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./image-worker.ts', import.meta.url), { workerData: picture });
    worker.once('message', (png: Uint8Array) =>
      resolve(Buffer.from(png.buffer, png.byteOffset, png.byteLength)),
    );
    worker.once('error', reject);
    worker.once('exit', (code) =>
      reject(new Error(`the image worker ended with code ${code} and no picture`)),
    );
  });
}

/**
 * Renders `logo` or `designs/ID` as a PNG, off the event loop, one picture at a time.
 *
 * @throws if there is no such picture.
 */
// A thread each: Skia rasterises inside the call to `encode`, which holds the event loop for 40 ms and more.
export function renderInWorker(picture: string): Promise<Buffer> {
  const render = lastRender.then(() => runWorker(picture));
  lastRender = render.catch(() => undefined);
  return render;
}
