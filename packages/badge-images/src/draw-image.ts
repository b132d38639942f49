import { type Canvas, createCanvas, type ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { DESIGN_SIZE, type Design, drawDesign } from './draw-design.ts';
import { drawLogo, LOGO_SIZE } from './draw-logo.ts';
import { drawPoster, POSTER_HEADLINE } from './draw-poster.ts';
import { drawHeadline } from './headline/draw-headline.ts';

/** Describes an image completely: equal specs give equal pixels. `sizePixels` is its width and height. Default: 1,000. */
export type ImageSpec =
  | { readonly kind: 'logo' }
  | { readonly kind: 'design'; readonly designId: string }
  | {
      readonly kind: 'token';
      readonly designId: string;
      readonly headline: string;
      readonly sizePixels?: number;
    }
  | { readonly kind: 'poster'; readonly headline: string; readonly sizePixels?: number };

// All images but the logo share one canvas. A canvas has 4 MB, which are freed only when its JavaScript object is
// garbage-collected.
const canvas = createCanvas(DESIGN_SIZE, DESIGN_SIZE);
const backgrounds = new Map<string, ImageData>();

function findDesign(designId: string): Design {
  const design = BUILT_IN_DESIGNS.find(({ id }) => id === designId);
  if (!design) throw new Error(`no built-in design ${designId}`);
  return design;
}

/** Draws a background on the shared canvas. Each background is drawn once. Later calls copy its pixels. */
function drawBackground(name: string, draw: (context: SKRSContext2D) => void): SKRSContext2D {
  const context = canvas.getContext('2d');
  const pixels = backgrounds.get(name);
  if (pixels) {
    context.putImageData(pixels, 0, 0);
  } else {
    draw(context);
    backgrounds.set(name, context.getImageData(0, 0, DESIGN_SIZE, DESIGN_SIZE));
  }
  return context;
}

/** Draws an image. The returned canvas is valid until the next call. */
export function drawImage(spec: ImageSpec): Canvas {
  const drawn = drawFullSize(spec);
  const { sizePixels } = { sizePixels: undefined, ...spec };
  if (sizePixels === undefined) return drawn;
  const resized = createCanvas(sizePixels, sizePixels);
  const context = resized.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(drawn, 0, 0, sizePixels, sizePixels);
  return resized;
}

function drawFullSize(spec: ImageSpec): Canvas {
  switch (spec.kind) {
    case 'logo': {
      const logo = createCanvas(LOGO_SIZE, LOGO_SIZE);
      drawLogo(logo.getContext('2d'));
      return logo;
    }
    case 'design':
    case 'token': {
      const design = findDesign(spec.designId);
      const context = drawBackground(design.id, (target) => drawDesign(target, design));
      if (spec.kind === 'token') {
        drawHeadline(context, spec.headline, design.textColor, design.headlineArea);
      }
      return canvas;
    }
    case 'poster': {
      const context = drawBackground('poster', drawPoster);
      drawHeadline(context, spec.headline, POSTER_HEADLINE.color, POSTER_HEADLINE.area);
      return canvas;
    }
  }
}
