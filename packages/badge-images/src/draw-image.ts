import { type Canvas, createCanvas, type ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { type Design, drawDesign } from './draw-design.ts';
import { drawLogo } from './draw-logo.ts';
import { drawPoster, POSTER_HEADLINE } from './draw-poster.ts';
import { drawHeadline } from './headline/draw-headline.ts';
import { shrink } from './shrink.ts';
import { DESIGN_SIZE, LOGO_SIZE } from './sizes.ts';

/** Describes an image completely: equal specs give equal pixels. */
export type ImageSpec = DrawnSpec | FileSpec;

/**
 * Describes an image that is drawn. `sizePixels` is its width and height. By default, it is as large as it is
 * drawn.
 */
export type DrawnSpec = { readonly sizePixels?: number } & (
  | { readonly kind: 'logo' }
  | { readonly kind: 'design'; readonly designId: string }
  | { readonly kind: 'token'; readonly designId: string; readonly headline: string }
  | { readonly kind: 'poster'; readonly headline: string }
);

/**
 * Describes a file of an image, made smaller. Its longer side then has `sizePixels`. The file never changes.
 */
export interface FileSpec {
  readonly kind: 'file';
  /** What `readFile` of the renderer is called with. */
  readonly fileId: string;
  readonly contentType: string;
  readonly sizePixels: number;
  /** Whether the copy is a PNG, whatever the file is. A file that is not larger is then copied too. */
  readonly isPng?: true;
}

// All images but the logo share one canvas. A canvas has 4 MB, which are freed only when its JavaScript
// object is garbage-collected.
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
export function drawImage(spec: DrawnSpec): Canvas {
  const drawn = drawFullSize(spec);
  const { sizePixels = drawn.width } = spec;
  return sizePixels < drawn.width ? shrink(drawn, { width: sizePixels, height: sizePixels }) : drawn;
}

function drawFullSize(spec: DrawnSpec): Canvas {
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
