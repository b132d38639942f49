import { Path2D } from '@napi-rs/canvas';

/**
 * An outline. `rotation` is a fraction of the full circle. `rounding` is the length of each rounded
 * corner, as a fraction of the length of the whole outline. `depth` is how far the outline goes inwards, as a
 * fraction of its radius.
 */
export type Shape =
  | { readonly kind: 'circle' }
  | { readonly kind: 'squircle'; readonly exponent: number }
  | { readonly kind: 'polygon'; readonly sides: number; readonly rotation: number; readonly rounding: number }
  | { readonly kind: 'star'; readonly points: number; readonly depth: number; readonly rounding: number }
  | { readonly kind: 'lobes'; readonly count: number; readonly depth: number }
  | { readonly kind: 'shield' };

export type Point = readonly [x: number, y: number];

/** The number of points that make up an outline. */
const SAMPLES = 1440;
const FULL_CIRCLE = 2 * Math.PI;
const SHIELD: readonly Point[] = [
  [-0.9, -0.84],
  [0, -1],
  [0.9, -0.84],
  [0.9, 0.2],
  [0.78, 0.5],
  [0.5, 0.78],
  [0, 1.04],
  [-0.5, 0.78],
  [-0.78, 0.5],
  [-0.9, 0.2],
];

/**
 * Returns the point on a circle around the origin at `fraction` of the full circle, clockwise from the top.
 */
export function onCircle(fraction: number, radius: number): Point {
  const angle = (fraction - 0.25) * FULL_CIRCLE;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

function polar(radiusOf: (fraction: number) => number): Point[] {
  return Array.from({ length: SAMPLES }, (_, i) => onCircle(i / SAMPLES, radiusOf(i / SAMPLES)));
}

function cyclicPoint(points: readonly Point[], index: number): Point {
  return points[((index % points.length) + points.length) % points.length] ?? [0, 0];
}

/** Returns `count` points along a closed polygon, at equal distances. */
function spaceEvenly(corners: readonly Point[], count: number): Point[] {
  const lengths = corners.map(([x, y], i) => {
    const [nextX, nextY] = cyclicPoint(corners, i + 1);
    return Math.hypot(nextX - x, nextY - y);
  });
  const step = lengths.reduce((sum, length) => sum + length, 0) / count;
  const spaced: Point[] = [];
  let edge = 0;
  let passed = 0;
  for (let i = 0; i < count; i++) {
    while (edge < corners.length - 1 && i * step > passed + (lengths[edge] ?? 0)) {
      passed += lengths[edge] ?? 0;
      edge += 1;
    }
    const fraction = (i * step - passed) / (lengths[edge] ?? 1);
    const [fromX, fromY] = cyclicPoint(corners, edge);
    const [toX, toY] = cyclicPoint(corners, edge + 1);
    spaced.push([fromX + (toX - fromX) * fraction, fromY + (toY - fromY) * fraction]);
  }
  return spaced;
}

/** Rounds corners and keeps edges straight, by averaging neighbouring points of an evenly sampled outline. */
function roundCorners(corners: readonly Point[], rounding: number): Point[] {
  const outline = spaceEvenly(corners, SAMPLES);
  const reach = Math.round((rounding * SAMPLES) / 2);
  return outline.map((_, i) => {
    let sumX = 0;
    let sumY = 0;
    for (let offset = -reach; offset <= reach; offset++) {
      const [x, y] = cyclicPoint(outline, i + offset);
      sumX += x;
      sumY += y;
    }
    return [sumX / (2 * reach + 1), sumY / (2 * reach + 1)];
  });
}

function unitOutline(shape: Shape): Point[] {
  switch (shape.kind) {
    case 'circle':
      return polar(() => 1);
    case 'squircle':
      return polar((fraction) => {
        const [x, y] = onCircle(fraction, 1);
        return (Math.abs(x) ** shape.exponent + Math.abs(y) ** shape.exponent) ** (-1 / shape.exponent);
      });
    case 'polygon': {
      const corners = Array.from({ length: shape.sides }, (_, i) =>
        onCircle(i / shape.sides + shape.rotation, 1),
      );
      return roundCorners(corners, shape.rounding);
    }
    case 'star': {
      const corners = Array.from({ length: 2 * shape.points }, (_, i) =>
        onCircle(i / (2 * shape.points), i % 2 === 0 ? 1 : 1 - shape.depth),
      );
      return roundCorners(corners, shape.rounding);
    }
    case 'lobes':
      return polar(
        (fraction) => 1 - shape.depth * (1 - Math.abs(Math.cos((fraction * shape.count * FULL_CIRCLE) / 2))),
      );
    case 'shield':
      return roundCorners(SHIELD, 0.06);
  }
}

/** Returns `count` evenly spaced points along a shape around the origin. */
export function outlinePoints(shape: Shape, radius: number, count: number): Point[] {
  return spaceEvenly(unitOutline(shape), count).map(([x, y]) => [x * radius, y * radius]);
}

/** Returns the closed path of a shape around the origin. */
export function outlinePath(shape: Shape, radius: number): Path2D {
  return closedPath(unitOutline(shape).map(([x, y]) => [x * radius, y * radius]));
}

/** Returns the closed path through the points. */
export function closedPath(points: readonly Point[]): Path2D {
  const path = new Path2D();
  for (const [x, y] of points) path.lineTo(x, y);
  path.closePath();
  return path;
}

/** SVG path data. Each emblem fits a circle of radius 50 around the origin. */
export const EMBLEMS = {
  sun: 'M0-20A20 20 0 1 1 0 20A20 20 0 1 1 0-20ZM-4-28L0-46L4-28ZM-4 28L0 46L4 28ZM28-4L46 0L28 4ZM-28-4L-46 0L-28 4ZM17-22.600L32.500-32.500L22.600-17ZM-17-22.600L-32.500-32.500L-22.600-17ZM17 22.600L32.500 32.500L22.600 17ZM-17 22.600L-32.500 32.500L-22.600 17Z',
  gem: 'M-24-30L-6-30L-16-10L-44-10ZM-2-30L2-30L12-10L-12-10ZM6-30L24-30L44-10L16-10ZM-44-6L-16-6L-3 38ZM-12-6L12-6L0 38ZM16-6L44-6L3 38Z',
  drop: 'M0-46C12-26 32-6 32 14A32 32 0 0 1-32 14C-32-6-12-26 0-46ZM-20 14A20 20 0 0 0 0 34L0 27A13 13 0 0 1-13 14Z',
  spark: 'M0-46C3-14 14-3 46 0C14 3 3 14 0 46C-3 14-14 3-46 0C-14-3-3-14 0-46Z',
  crown: 'M-42-20L-20 2L0-34L20 2L42-20L34 22L-34 22ZM-34 27L34 27L34 36L-34 36Z',
  planet:
    'M-24 0A24 24 0 0 1 24-4L-23 8A24 24 0 0 1-24 0ZM24 3A24 24 0 0 1-20 14ZM-46 16C-40 22 46 2 46-12C44-16 34-16 27-15C34-14 38-13 37-10C30-1-30 13-38 11C-39 10-36 7-33 4C-42 9-48 13-46 16Z',
  star: 'M0-44L11.500-15.800L41.800-13.600L18.600 6L25.900 35.600L0 19.600L-25.900 35.600L-18.600 6L-41.800-13.600L-11.500-15.800Z',
  bolt: 'M10-46L-30 8L-4 8L-12 46L30-12L3-12Z',
} as const;

export type EmblemName = keyof typeof EMBLEMS;
