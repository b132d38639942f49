import { parentPort } from 'node:worker_threads';
import type { ImageSpec } from '../draw-image.ts';
import type { RenderResult } from '../image-worker.ts';

// Replaces the image worker in tests. The headlines `exit`, `throw` and `hang` make it fail. It replies to all others.
let replies = 0;

parentPort?.on('message', (spec: ImageSpec) => {
  const headline = 'headline' in spec ? spec.headline : '';
  if (headline === 'exit') process.exit(3);
  if (headline === 'throw') throw new Error('out of memory');
  if (headline === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  replies += 1;
  const result: RenderResult = { png: Buffer.from(`${headline} ${replies}`) };
  parentPort?.postMessage(result);
});
