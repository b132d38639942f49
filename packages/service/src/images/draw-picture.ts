import { type Canvas, createCanvas, type ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { DESIGN_SIZE, type Design, drawDesign } from './draw-design.ts';
import { drawLogo, LOGO_SIZE } from './draw-logo.ts';
import { drawPoster, POSTER_HEADLINE } from './draw-poster.ts';
import { drawHeadline } from './headline/draw-headline.ts';
import type { Picture } from './picture.ts';

// One for all: the memory of a canvas, 4 MB, is returned only when its wrapper is collected.
const canvas = createCanvas(DESIGN_SIZE, DESIGN_SIZE);
const backgrounds = new Map<string, ImageData>();

function findDesign(designId: string): Design {
  const design = BUILT_IN_DESIGNS.find(({ id }) => id === designId);
  if (!design) throw new Error(`no built-in design ${designId}`);
  return design;
}

/** Covers the canvas with a background of which the pixels are drawn once and then copied. */
function startPicture(name: string, draw: (context: SKRSContext2D) => void): SKRSContext2D {
  const context = canvas.getContext('2d');
  const known = backgrounds.get(name);
  if (known) {
    context.putImageData(known, 0, 0);
  } else {
    draw(context);
    backgrounds.set(name, context.getImageData(0, 0, DESIGN_SIZE, DESIGN_SIZE));
  }
  return context;
}

/** Draws a picture on a canvas that holds it until the next one is drawn. */
export function drawPicture(picture: Picture): Canvas {
  switch (picture.kind) {
    case 'logo': {
      const logo = createCanvas(LOGO_SIZE, LOGO_SIZE);
      drawLogo(logo.getContext('2d'));
      return logo;
    }
    case 'design':
    case 'token': {
      const design = findDesign(picture.designId);
      const context = startPicture(design.id, (target) => drawDesign(target, design));
      if (picture.kind === 'token') {
        drawHeadline(context, picture.headline, design.textColor, design.headlineArea);
      }
      return canvas;
    }
    case 'poster': {
      const context = startPicture('poster', drawPoster);
      drawHeadline(context, picture.headline, POSTER_HEADLINE.color, POSTER_HEADLINE.area);
      return canvas;
    }
  }
}
