import { describe, expect, it } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { DESIGN_SIZE } from './draw-design.ts';
import { LOGO_SIZE } from './draw-logo.ts';
import { renderDesign, renderLogo } from './render-design.ts';
import { renderInWorker } from './render-in-worker.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const MAX_DESIGN_BYTES = 320 * 1024;

function pngHeader(png: Buffer) {
  return {
    signature: png.toString('hex', 0, 8),
    chunk: png.toString('latin1', 12, 16),
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    end: png.toString('latin1', png.length - 8, png.length - 4),
  };
}

describe('renderDesign', () => {
  it.each(BUILT_IN_DESIGNS)('renders $id as a whole PNG of the stated size', async ({ id }) => {
    const png = await renderDesign(id);
    expect(pngHeader(png)).toEqual({
      signature: PNG_SIGNATURE,
      chunk: 'IHDR',
      width: DESIGN_SIZE,
      height: DESIGN_SIZE,
      end: 'IEND',
    });
    expect(png.length).toBeLessThan(MAX_DESIGN_BYTES);
  });

  it('renders the same bytes afresh', async () => {
    for (const { id } of BUILT_IN_DESIGNS) {
      const kept = await renderDesign(id);
      const fresh = await renderInWorker(`designs/${id}`);
      expect(fresh).not.toBe(kept);
      expect(fresh.equals(kept), id).toBe(true);
    }
  }, 30_000);

  it('renders eight distinct pictures', async () => {
    const pictures = await Promise.all(BUILT_IN_DESIGNS.map(({ id }) => renderDesign(id)));
    expect(new Set(pictures.map((png) => png.toString('base64'))).size).toBe(8);
  });

  it('answers calls at the same time and later with one render', async () => {
    const first = renderDesign('defaultBlueGreen');
    expect(renderDesign('defaultBlueGreen')).toBe(first);
    expect(await renderDesign('defaultBlueGreen')).toBe(await first);
  });

  it('refuses an id that no design has, and still renders afterwards', async () => {
    await expect(renderDesign('defaultNone')).rejects.toThrow('no built-in picture designs/defaultNone');
    await expect(renderDesign('logo')).rejects.toThrow('no built-in picture designs/logo');
    expect((await renderInWorker('designs/defaultOrangeRed')).length).toBeGreaterThan(0);
  });
});

describe('renderLogo', () => {
  it('renders a PNG of the stated size, the same bytes afresh', async () => {
    const png = await renderLogo();
    expect(pngHeader(png)).toMatchObject({ signature: PNG_SIGNATURE, width: LOGO_SIZE, height: LOGO_SIZE });
    expect((await renderInWorker('logo')).equals(png)).toBe(true);
  });
});
