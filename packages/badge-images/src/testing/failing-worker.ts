import { parentPort } from 'node:worker_threads';
import type { RenderResult, RenderTask } from '../image-worker.ts';

// Replaces the image worker in tests. The headlines `exit`, `throw` and `hang` make it fail. It replies to
// all others, and to a file with its content.
let replies = 0;

parentPort?.on('message', ({ spec, file }: RenderTask) => {
  const headline = 'headline' in spec ? spec.headline : '';
  if (headline === 'exit') process.exit(3);
  if (headline === 'throw') throw new Error('out of memory');
  if (headline === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  replies += 1;
  const shown = file === null ? headline : Buffer.from(file).toString();
  const result: RenderResult = { image: Buffer.from(`${shown} ${replies}`) };
  parentPort?.postMessage(result);
});
