import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas } from '@napi-rs/canvas';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { DESIGN_SIZE, drawDesign } from './draw-design.ts';
import { drawLogo, LOGO_SIZE } from './draw-logo.ts';

function drawPicture(picture: unknown) {
  if (picture === 'logo') {
    const canvas = createCanvas(LOGO_SIZE, LOGO_SIZE);
    drawLogo(canvas.getContext('2d'));
    return canvas;
  }
  const design = BUILT_IN_DESIGNS.find(({ id }) => picture === `designs/${id}`);
  if (!design) throw new Error(`no built-in picture ${String(picture)}`);
  const canvas = createCanvas(DESIGN_SIZE, DESIGN_SIZE);
  drawDesign(canvas.getContext('2d'), design);
  return canvas;
}

parentPort?.postMessage(drawPicture(workerData).encodeSync('png'));
