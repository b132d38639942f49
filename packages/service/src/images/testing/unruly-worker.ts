import { parentPort } from 'node:worker_threads';
import type { Picture, Rendered } from '../picture.ts';

// Stands in for the thread that renders, and dies, hangs or answers as the headline says.
let answered = 0;

parentPort?.on('message', (picture: Picture) => {
  const headline = 'headline' in picture ? picture.headline : '';
  if (headline === 'exit') process.exit(3);
  if (headline === 'throw') throw new Error('out of memory');
  if (headline === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  answered += 1;
  const rendered: Rendered = { png: Buffer.from(`${headline} ${answered}`) };
  parentPort?.postMessage(rendered);
});
