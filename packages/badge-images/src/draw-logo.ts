import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { EMBLEMS, outlinePath } from './shapes.ts';
import { LOGO_SIZE } from './sizes.ts';

/** Draws the default community logo. Its top left corner is at the context's origin. */
export function drawLogo(context: SKRSContext2D): void {
  context.save();
  context.translate(LOGO_SIZE / 2, LOGO_SIZE / 2);
  const backdrop = context.createLinearGradient(0, -256, 0, 256);
  backdrop.addColorStop(0, '#6d5ef5');
  backdrop.addColorStop(1, '#2b1f9e');
  context.fillStyle = backdrop;
  context.fill(outlinePath({ kind: 'squircle', exponent: 5 }, 252));

  const seal = context.createLinearGradient(0, -176, 0, 176);
  seal.addColorStop(0, '#ffffff');
  seal.addColorStop(1, '#d9d6ff');
  context.fillStyle = seal;
  context.fill(outlinePath({ kind: 'star', points: 12, depth: 0.16, rounding: 0.03 }, 190));

  context.lineWidth = 8;
  context.strokeStyle = '#8b80f9';
  context.stroke(outlinePath({ kind: 'circle' }, 126));
  context.scale(1.9, 1.9);
  context.fillStyle = '#3a2cc0';
  context.fill(new Path2D(EMBLEMS.star));
  context.restore();
}
