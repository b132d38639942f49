import { Path2D } from '@napi-rs/canvas';

/** A silhouette in polar or polygonal form; `turn` is in fractions of a full turn, `rounding` in fractions of the outline's length. */
export type Shape =
  | { readonly kind: 'circle' }
  | { readonly kind: 'squircle'; readonly exponent: number }
  | { readonly kind: 'polygon'; readonly sides: number; readonly turn: number; readonly rounding: number }
  | { readonly kind: 'star'; readonly points: number; readonly depth: number; readonly rounding: number }
  | { readonly kind: 'lobes'; readonly count: number; readonly depth: number }
  | { readonly kind: 'shield' };

export type Point = readonly [x: number, y: number];

const SAMPLES = 1440;
const FULL_TURN = 2 * Math.PI;
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

/** The point at `turn` (fraction of a full turn, from the top, clockwise) on a circle round the origin. */
export function onCircle(turn: number, radius: number): Point {
  const angle = (turn - 0.25) * FULL_TURN;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

function polar(radiusAt: (turn: number) => number): Point[] {
  return Array.from({ length: SAMPLES }, (_, i) => onCircle(i / SAMPLES, radiusAt(i / SAMPLES)));
}

function at(points: readonly Point[], index: number): Point {
  return points[((index % points.length) + points.length) % points.length] ?? [0, 0];
}

function spaceEvenly(corners: readonly Point[], count: number): Point[] {
  const lengths = corners.map(([x, y], i) => {
    const [nextX, nextY] = at(corners, i + 1);
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
    const share = (i * step - passed) / (lengths[edge] ?? 1);
    const [fromX, fromY] = at(corners, edge);
    const [toX, toY] = at(corners, edge + 1);
    spaced.push([fromX + (toX - fromX) * share, fromY + (toY - fromY) * share]);
  }
  return spaced;
}

/** Averaging neighbours along an even outline rounds its corners and leaves its straight edges straight. */
function roundCorners(corners: readonly Point[], rounding: number): Point[] {
  const outline = spaceEvenly(corners, SAMPLES);
  const reach = Math.round((rounding * SAMPLES) / 2);
  return outline.map((_, i) => {
    let sumX = 0;
    let sumY = 0;
    for (let offset = -reach; offset <= reach; offset++) {
      const [x, y] = at(outline, i + offset);
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
      return polar((turn) => {
        const [x, y] = onCircle(turn, 1);
        return (Math.abs(x) ** shape.exponent + Math.abs(y) ** shape.exponent) ** (-1 / shape.exponent);
      });
    case 'polygon': {
      const corners = Array.from({ length: shape.sides }, (_, i) =>
        onCircle(i / shape.sides + shape.turn, 1),
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
        (turn) => 1 - shape.depth * (1 - Math.abs(Math.cos((turn * shape.count * FULL_TURN) / 2))),
      );
    case 'shield':
      return roundCorners(SHIELD, 0.06);
  }
}

/** `count` evenly spaced points along a shape of this radius round the origin. */
export function outlinePoints(shape: Shape, radius: number, count: number): Point[] {
  return spaceEvenly(unitOutline(shape), count).map(([x, y]) => [x * radius, y * radius]);
}

/** The closed path of a shape of this radius round the origin. */
export function outlinePath(shape: Shape, radius: number): Path2D {
  return closedPath(unitOutline(shape).map(([x, y]) => [x * radius, y * radius]));
}

/** The closed path through these points. */
export function closedPath(points: readonly Point[]): Path2D {
  const path = new Path2D();
  for (const [x, y] of points) path.lineTo(x, y);
  path.closePath();
  return path;
}
