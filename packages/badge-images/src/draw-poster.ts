import type { SKRSContext2D } from '@napi-rs/canvas';
import { drawMotif } from './motifs.ts';
import { closedPath, outlinePath } from './shapes.ts';
import { DESIGN_SIZE } from './sizes.ts';

/** The colour and the area of a poster's headline. */
export const POSTER_HEADLINE = { color: '#f4f6ff', area: { x: 120, y: 580, width: 760, height: 300 } };

const PLAY_Y = 348;
const PLAY_RADIUS = 128;

/** Draws the still image for a video, without a headline. It is `DESIGN_SIZE` pixels wide and high. */
export function drawPoster(context: SKRSContext2D): void {
  context.save();
  context.translate(DESIGN_SIZE / 2, PLAY_Y);
  const backdrop = context.createLinearGradient(0, -PLAY_Y, 0, DESIGN_SIZE - PLAY_Y);
  backdrop.addColorStop(0, '#323a66');
  backdrop.addColorStop(0.6, '#1b2044');
  backdrop.addColorStop(1, '#10132b');
  context.fillStyle = backdrop;
  context.fillRect(-DESIGN_SIZE / 2, -PLAY_Y, DESIGN_SIZE, DESIGN_SIZE);
  drawMotif(
    context,
    { kind: 'nested', shape: { kind: 'circle' }, step: 64, lineWidth: 2 },
    'rgba(190, 200, 255, 0.07)',
  );
  context.fillStyle = 'rgba(255, 255, 255, 0.12)';
  context.fill(outlinePath({ kind: 'circle' }, PLAY_RADIUS + 26));
  context.fillStyle = '#ffffff';
  context.fill(outlinePath({ kind: 'circle' }, PLAY_RADIUS));
  context.fillStyle = '#2b3263';
  context.strokeStyle = '#2b3263';
  context.lineJoin = 'round';
  context.lineWidth = 16;
  const triangle = closedPath([
    [-34, -52],
    [56, 0],
    [-34, 52],
  ]);
  context.fill(triangle);
  context.stroke(triangle);
  context.restore();
}
