import { parentPort } from 'node:worker_threads';
import { drawPicture } from './draw-picture.ts';
import type { Picture, Rendered } from './picture.ts';

function render(picture: Picture): Rendered {
  try {
    return { png: drawPicture(picture).encodeSync('png') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (picture: Picture) => parentPort?.postMessage(render(picture)));
