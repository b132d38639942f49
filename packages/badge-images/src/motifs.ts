import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { closedPath, onCircle, outlinePath, type Shape } from './shapes.ts';

/** A pattern around the origin, stroked if it has a `lineWidth`, otherwise filled. Lengths are in pixels. */
export type Motif =
  | { readonly kind: 'rays'; readonly count: number }
  | { readonly kind: 'waves'; readonly count: number; readonly amplitude: number; readonly length: number }
  | { readonly kind: 'petals'; readonly count: number; readonly radius: number }
  | { readonly kind: 'chevrons'; readonly step: number; readonly slope: number }
  | { readonly kind: 'halftone'; readonly step: number }
  | { readonly kind: 'nested'; readonly shape: Shape; readonly step: number; readonly lineWidth: number }
  | {
      readonly kind: 'guilloche';
      readonly strands: number;
      readonly waves: number;
      readonly radius: number;
      readonly amplitude: number;
      readonly lineWidth: number;
    }
  | { readonly kind: 'scales'; readonly radius: number; readonly rings: number; readonly lineWidth: number }
  | {
      readonly kind: 'orbits';
      readonly count: number;
      /** The shorter radius of each orbit, as a fraction of `REACH`. */
      readonly roundness: number;
      readonly lineWidth: number;
    };

type MotifOf<Kind extends Motif['kind']> = Extract<Motif, { kind: Kind }>;

// A distance from the centre of a design that is beyond its corners.
const REACH = 720;

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function rays({ count }: MotifOf<'rays'>): Path2D[] {
  return times(count, (i) =>
    closedPath([[0, 0], onCircle((i - 0.25) / count, REACH), onCircle((i + 0.25) / count, REACH)]),
  );
}

function waves({ count, amplitude, length }: MotifOf<'waves'>): Path2D[] {
  return times(count, (layer) => {
    const top = -500 + ((layer + 0.5) * 1000) / count;
    const path = new Path2D();
    path.moveTo(-REACH, REACH);
    for (let x = -REACH; x <= REACH; x += 8) {
      path.lineTo(x, top + amplitude * Math.sin((x / length + layer * 0.37) * 2 * Math.PI));
    }
    path.lineTo(REACH, REACH);
    path.closePath();
    return path;
  });
}

function petals({ count, radius }: MotifOf<'petals'>): Path2D[] {
  return times(count, (i) => {
    const [x, y] = onCircle(i / count, radius);
    const path = new Path2D();
    path.arc(x, y, radius, 0, 2 * Math.PI);
    return path;
  });
}

function chevrons({ step, slope }: MotifOf<'chevrons'>): Path2D[] {
  const rise = REACH * slope;
  return times(Math.ceil((2 * (REACH + rise)) / step), (i) => {
    const y = -REACH - rise + i * step;
    return closedPath([
      [-REACH, y],
      [0, y + rise],
      [REACH, y],
      [REACH, y + step / 2],
      [0, y + rise + step / 2],
      [-REACH, y + step / 2],
    ]);
  });
}

function halftone({ step }: MotifOf<'halftone'>): Path2D[] {
  const dots = new Path2D();
  for (let row = 0; row * step < 1000; row++) {
    for (let x = -500 + ((row % 2) * step) / 2; x <= 500; x += step) {
      const y = -500 + row * step;
      // The dots grow with the distance from a diagonal of the image.
      const radius = step * 0.46 * Math.min(1, Math.abs(x + y) / 900 + 0.12);
      dots.moveTo(x + radius, y);
      dots.arc(x, y, radius, 0, 2 * Math.PI);
    }
  }
  return [dots];
}

function nested({ shape, step }: MotifOf<'nested'>): Path2D[] {
  return times(Math.floor(REACH / step), (i) => outlinePath(shape, (i + 1) * step));
}

function guilloche({ strands, waves, radius, amplitude }: MotifOf<'guilloche'>): Path2D[] {
  return times(strands, (strand) => {
    const wave = (fraction: number) =>
      amplitude * Math.sin((fraction * waves + strand / strands) * 2 * Math.PI);
    return closedPath(times(1080, (i) => onCircle(i / 1080, radius + wave(i / 1080))));
  });
}

/**
 * Returns the angle at which an arc of a scale ends, in radians below the horizontal. Two kinds of other
 * scales, which are circles of `radius`, cover the rest of the arc:
 * - The scale beside it, whose centre is one radius to the side and half a radius lower.
 * - The scale below it, whose centre is one radius lower.
 * The law of cosines gives the angle at which the arc meets each of them. The smaller angle counts.
 */
function endOfArc(arcRadius: number, radius: number): number {
  const cosineBeside = (arcRadius ** 2 + radius ** 2 / 4) / (arcRadius * radius * Math.sqrt(5));
  const below = Math.asin(arcRadius / (2 * radius));
  // At 1 or more, the arc is too small to meet the scale beside it.
  return cosineBeside >= 1 ? below : Math.min(below, Math.atan2(1, 2) - Math.acos(cosineBeside));
}

function scales({ radius, rings }: MotifOf<'scales'>): Path2D[] {
  const columns = Math.ceil(REACH / radius);
  const paths: Path2D[] = [];
  for (let row = 0; row * radius < 4 * REACH; row++) {
    for (let column = -columns + (row % 2); column <= columns; column += 2) {
      for (let ring = 1; ring <= rings; ring++) {
        const arcRadius = (radius * ring) / rings;
        const end = endOfArc(arcRadius, radius);
        const path = new Path2D();
        path.arc(column * radius, -REACH + (row * radius) / 2, arcRadius, Math.PI - end, end);
        paths.push(path);
      }
    }
  }
  return paths;
}

function orbits({ count, roundness }: MotifOf<'orbits'>): Path2D[] {
  return times(count, (i) => {
    const path = new Path2D();
    path.ellipse(0, 0, REACH * 0.9, REACH * roundness, (i / count) * Math.PI, 0, 2 * Math.PI);
    return path;
  });
}

function motifPaths(motif: Motif): Path2D[] {
  switch (motif.kind) {
    case 'rays':
      return rays(motif);
    case 'waves':
      return waves(motif);
    case 'petals':
      return petals(motif);
    case 'chevrons':
      return chevrons(motif);
    case 'halftone':
      return halftone(motif);
    case 'nested':
      return nested(motif);
    case 'guilloche':
      return guilloche(motif);
    case 'scales':
      return scales(motif);
    case 'orbits':
      return orbits(motif);
  }
}

/** Draws a motif around the context's origin. Where paths overlap, a translucent ink is drawn repeatedly. */
export function drawMotif(context: SKRSContext2D, motif: Motif, ink: string): void {
  context.fillStyle = ink;
  context.strokeStyle = ink;
  if ('lineWidth' in motif) context.lineWidth = motif.lineWidth;
  for (const path of motifPaths(motif)) {
    if ('lineWidth' in motif) context.stroke(path);
    else context.fill(path);
  }
}
