import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { BOX, drawInBox, HEIGHT, hasInk, WIDTH } from '../testing/drawn-headline.ts';
import { HEADLINE_SAMPLES } from '../testing/headline-samples.ts';
import { BASELINE_BELOW_MIDDLE, drawHeadline, fitHeadline, setFont } from './draw-headline.ts';
import { clustersOf, prepareText } from './prepared-text.ts';

const GLYPH_BOX = { x: 0, y: 0, width: 80, height: 80 };
// No font has a glyph for this code point.
const NO_CHARACTER = '\u{10ffff}';

function drawGlyph(cluster: string): Buffer {
  const context = createCanvas(GLYPH_BOX.width, GLYPH_BOX.height).getContext('2d');
  drawHeadline(context, cluster, '#000000', GLYPH_BOX);
  return Buffer.from(context.getImageData(0, 0, GLYPH_BOX.width, GLYPH_BOX.height).data);
}

/**
 * Draws the missing-glyph box of the cluster's first font, in the font size in which the cluster is drawn.
 */
function drawMissingGlyph(cluster: string): Buffer {
  const context = createCanvas(GLYPH_BOX.width, GLYPH_BOX.height).getContext('2d');
  const text = prepareText(cluster);
  const { size } = fitHeadline(context, text, GLYPH_BOX);
  setFont(context, text, size);
  context.fillText(NO_CHARACTER, GLYPH_BOX.width / 2, GLYPH_BOX.height / 2 + BASELINE_BELOW_MIDDLE * size);
  return Buffer.from(context.getImageData(0, 0, GLYPH_BOX.width, GLYPH_BOX.height).data);
}

describe.each(Object.entries(HEADLINE_SAMPLES))('%s', (name, headline) => {
  it('is drawn inside its box, and does not touch the edges, so nothing is clipped', () => {
    const context = drawInBox(headline);
    const { x, y, width, height } = BOX;
    expect(hasInk(context.getImageData(x, y, width, height).data)).toBe(true);
    const edges = [
      context.getImageData(0, 0, WIDTH, y + 1),
      context.getImageData(0, y + height - 1, WIDTH, HEIGHT - y - height + 1),
      context.getImageData(0, 0, x + 1, HEIGHT),
      context.getImageData(x + width - 1, 0, WIDTH - x - width + 1, HEIGHT),
    ];
    expect(edges.map(({ data }) => hasInk(data))).toEqual([false, false, false, false]);
  });

  it('is drawn with all its characters, none of them as a missing-glyph box', () => {
    for (const cluster of new Set(clustersOf(headline))) {
      if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(cluster)) continue;
      const drawn = drawGlyph(cluster);
      expect(hasInk(drawn), `${cluster} has ink`).toBe(true);
      expect(drawn.equals(drawMissingGlyph(cluster)), `${cluster} is a missing-glyph box`).toBe(false);
      if (name !== 'unknown') {
        expect(drawn.equals(drawGlyph('\ufffd')), `${cluster} is a replacement`).toBe(false);
      }
    }
  });
});

it('drawMissingGlyph draws a box, so that the comparison above can fail', () => {
  expect(hasInk(drawMissingGlyph('A'))).toBe(true);
  expect(hasInk(drawMissingGlyph('感'))).toBe(true);
});

function fitInBox(headline: string) {
  const context = createCanvas(WIDTH, HEIGHT).getContext('2d');
  return fitHeadline(context, prepareText(headline), BOX);
}

describe('fitHeadline', () => {
  it('draws a longer headline smaller, down to the smallest size', () => {
    const sizes = ['short', 'latin', 'sentence', 'longLatin'].map(
      (name) => fitInBox(HEADLINE_SAMPLES[name] ?? '').size,
    );
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    expect(new Set(sizes).size).toBe(4);
    expect(sizes.at(-1)).toBe(26);
  });

  it.each(Object.entries(HEADLINE_SAMPLES))(
    'cuts off %s with an ellipsis only if it is too long',
    (name, headline) => {
      const { lines } = fitInBox(headline);
      const shown = lines.join('');
      const whole = prepareText(headline).clusters.join('');
      const isTooLong = name.startsWith('long') && name !== 'longWord';
      if (isTooLong) {
        expect(shown.endsWith('…')).toBe(true);
        expect(shown.length).toBeGreaterThan(100);
        expect(whole.replaceAll(' ', '').startsWith(shown.slice(0, -1).replaceAll(' ', ''))).toBe(true);
      } else {
        expect(shown.replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''));
      }
    },
  );

  it('keeps words whole if they fit at a readable size', () => {
    expect(fitInBox('Ambassador of the Year').lines.join(' ')).toBe('Ambassador of the Year');
    expect(fitInBox('communication').lines).toEqual(['communication']);
  });
});
