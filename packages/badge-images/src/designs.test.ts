import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { type Design, drawDesign } from './draw-design.ts';
import { drawPoster, POSTER_HEADLINE } from './draw-poster.ts';
import { DESIGN_SIZE } from './sizes.ts';

// WCAG 2.2, success criterion 1.4.3.
const MIN_CONTRAST = 4.5;
// The contrast between black and white.
const MAX_CONTRAST = 21;

const LINEAR_CHANNELS = Array.from({ length: 256 }, (_, value) => {
  const channel = value / 255;
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
});

function luminance(...channels: (number | undefined)[]): number {
  const [r = 0, g = 0, b = 0] = channels.map((value = 0) => LINEAR_CHANNELS[value]);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function lowestContrast(draw: (context: SKRSContext2D) => void, color: string, area: Design['headlineArea']) {
  const context = createCanvas(DESIGN_SIZE, DESIGN_SIZE).getContext('2d');
  draw(context);
  const pixels = context.getImageData(area.x, area.y, area.width, area.height).data;
  const channels = color.match(/[0-9a-f]{2}/g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  const text = luminance(...channels);
  let lowest = MAX_CONTRAST;
  for (let i = 0; i < pixels.length; i += 4) {
    lowest = Math.min(lowest, contrast(text, luminance(pixels[i], pixels[i + 1], pixels[i + 2])));
  }
  return lowest;
}

it('lists eight designs, the first three with their published ids', () => {
  const ids = BUILT_IN_DESIGNS.map(({ id }) => id);
  expect(ids.slice(0, 3)).toEqual(['defaultOrangeRed', 'defaultGreenPurple', 'defaultBlueGreen']);
  expect(new Set(ids).size).toBe(8);
});

describe.each(BUILT_IN_DESIGNS)('$id', (design) => {
  it('is named after the colours in its id', () => {
    const colors = design.id.match(/[A-Z][a-z]+/g)?.join(' ') ?? '';
    expect(design.name.toLowerCase()).toBe(colors.toLowerCase());
    expect(design.name).toMatch(/^[A-Z][a-z]+ [a-z]+$/);
  });

  it('has a headline area inside the image, centred horizontally, and large enough for a long headline', () => {
    const { x, y, width, height } = design.headlineArea;
    expect(x + width / 2).toBe(DESIGN_SIZE / 2);
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(DESIGN_SIZE);
    expect(width * height).toBeGreaterThan(200_000);
  });

  it('has enough contrast between text and every pixel of the headline area', () => {
    const lowest = lowestContrast(
      (context) => drawDesign(context, design),
      design.textColor,
      design.headlineArea,
    );
    expect(lowest).toBeGreaterThanOrEqual(MIN_CONTRAST);
  });
});

it('draws a poster with enough contrast for its headline', () => {
  const lowest = lowestContrast(drawPoster, POSTER_HEADLINE.color, POSTER_HEADLINE.area);
  expect(lowest).toBeGreaterThanOrEqual(MIN_CONTRAST);
});
