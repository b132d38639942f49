import { afterAll, expect } from 'vitest';
import { createImageRenderer } from '../image-renderer.ts';
import { DESIGN_SIZE } from '../sizes.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const MAX_DESIGN_BYTES = 320 * 1024;
const MAX_TOKEN_BYTES = 640 * 1024;
export const HEADLINE = 'Thank you for two hundred reviews';

export function pngHeader(png: Buffer) {
  return {
    signature: png.toString('hex', 0, 8),
    chunk: png.toString('latin1', 12, 16),
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    end: png.toString('latin1', png.length - 8, png.length - 4),
  };
}

/** What `pngHeader` returns for a complete PNG of this width and height. */
export function squareHeader(size: number) {
  return { signature: PNG_SIGNATURE, chunk: 'IHDR', width: size, height: size, end: 'IEND' };
}

/** Creates a renderer, and closes it after the tests. Returns it, and what it renders. */
export function imageRendererFixture() {
  const renderer = createImageRenderer({ timeoutMs: 30_000 });
  afterAll(() => renderer.close());

  const renderDesign = (designId: string) => renderer.render({ kind: 'design', designId });
  const renderTokenImage = (token: { designId: string; headline: string }, from = renderer) =>
    from.render({ kind: 'token', ...token });

  async function expectCompletePng(designId: string): Promise<void> {
    const bare = await renderDesign(designId);
    const token = await renderTokenImage({ designId, headline: HEADLINE });
    expect(pngHeader(bare)).toEqual(squareHeader(DESIGN_SIZE));
    expect(pngHeader(token)).toEqual(squareHeader(DESIGN_SIZE));
    expect(bare.length).toBeLessThan(MAX_DESIGN_BYTES);
    expect(token.length).toBeLessThan(MAX_TOKEN_BYTES);
  }

  return { renderer, renderDesign, renderTokenImage, expectCompletePng };
}
