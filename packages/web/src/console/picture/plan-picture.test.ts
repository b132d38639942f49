import { expect, test } from 'vitest';
import { findFramedSquare, planDrawing, planPicture, planSvgSize } from './plan-picture.ts';

const MIB = 1024 * 1024;

test.each([
  ['a square PNG', { type: 'image/png' }, 'keep'],
  ['a square of exactly the limit', { bytes: 20 * MIB }, 'keep'],
  ['a square that is one byte too large', { bytes: 20 * MIB + 1 }, 'scale'],
  ['a square with too many pixels', { width: 6_400, height: 6_400 }, 'scale'],
  ['a square of a type that the service does not store', { type: 'image/avif' }, 'scale'],
  ['an SVG', { type: 'image/svg+xml' }, 'scale'],
  ['a wide picture', { width: 801 }, 'crop'],
  ['a tall photograph that is too large', { height: 1_200, bytes: 27 * MIB }, 'crop'],
  ['a picture with a side that is too long', { width: 9_000 }, 'crop'],
  ['a wide animation', { isAnimated: true, width: 801, type: 'image/gif' }, 'keep'],
  ['an animation that is too large', { isAnimated: true, bytes: 20 * MIB + 1 }, 'refuse'],
  ['an animation with a side that is too long', { isAnimated: true, width: 8_193, height: 1 }, 'refuse'],
  ['an animation of another type', { isAnimated: true, type: 'image/avif' }, 'refuse'],
] as const)('%s', (_, file, expected) => {
  const square = { type: 'image/jpeg', isAnimated: false, bytes: MIB, width: 800, height: 800 };
  expect(planPicture({ ...square, ...file })).toBe(expected);
});

// A picture of 800 by 400 pixels, shown with half of its size in a frame of 200.
const wide = { width: 800, height: 400 };
const placement = { offset: { x: 0, y: 0 }, zoom: 1, shown: { width: 400, height: 200 }, frameSide: 200 };

test.each([
  ['the middle', {}, { x: 200, y: 0, side: 400 }],
  ['the left, if the picture is moved to the right', { offset: { x: 100, y: 0 } }, { x: 0, y: 0, side: 400 }],
  ['a quarter, at twice the size', { zoom: 2 }, { x: 300, y: 100, side: 200 }],
  ['a corner', { zoom: 2, offset: { x: -300, y: -100 } }, { x: 600, y: 200, side: 200 }],
  ['the whole, at half the size', { zoom: 0.5 }, { x: 0, y: -200, side: 800 }],
])('the frame shows %s', (_, changes, expected) => {
  expect(findFramedSquare(wide, { ...placement, ...changes })).toEqual(expected);
});

test('a part of a JPEG stays a JPEG, and what is not filled needs another type', () => {
  const inside = { x: 200, y: 0, side: 400 };
  const whole = { x: 0, y: -200, side: 800 };
  expect(planDrawing(wide, inside, 'image/jpeg')).toEqual({ side: 400, type: 'image/jpeg' });
  expect(planDrawing(wide, { ...inside, y: -0.2 }, 'image/jpeg').type).toBe('image/jpeg');
  expect(planDrawing(wide, whole, 'image/jpeg')).toEqual({ side: 800, type: 'image/png' });
  expect(planDrawing(wide, whole, 'image/webp').type).toBe('image/webp');
  expect(planDrawing(wide, inside, 'image/svg+xml').type).toBe('image/png');
});

test('a drawn square has at least one pixel, and at most 2,048 on each side', () => {
  expect(planDrawing(wide, { x: 0, y: 0, side: 0.2 }, 'image/png').side).toBe(1);
  const huge = { width: 12_000, height: 9_000 };
  expect(planDrawing(huge, { x: 0, y: 0, side: 9_000 }, 'image/png').side).toBe(2_048);
});

test('an SVG is drawn large, whatever its own size is', () => {
  expect(planSvgSize({ width: 24, height: 24 })).toEqual({ width: 2_048, height: 2_048 });
  expect(planSvgSize({ width: 30, height: 10 })).toEqual({ width: 6_144, height: 2_048 });
  expect(planSvgSize({ width: 1, height: 100 })).toEqual({ width: 82, height: 8_192 });
});
