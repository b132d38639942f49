import { ImageRenderer } from './image-renderer.ts';

export { RenderBusy } from './render-queue.ts';

const renderer = new ImageRenderer({ cacheBytes: 64 * 2 ** 20, maxQueued: 64, timeoutMs: 30_000 });

/** The PNG of a token: its built-in design with its headline over it. */
export function renderTokenImage(token: { designId: string; headline: string }): Promise<Buffer> {
  return renderer.render({ kind: 'token', designId: token.designId, headline: token.headline });
}

/** The PNG that stands for a token whose upload is a video. */
export function renderPoster({ headline }: { headline: string }): Promise<Buffer> {
  return renderer.render({ kind: 'poster', headline });
}

/** The PNG of a built-in design without a headline. */
export function renderDesign(designId: string): Promise<Buffer> {
  return renderer.render({ kind: 'design', designId });
}

/** The PNG of the logo of a community that has none. */
export function renderLogo(): Promise<Buffer> {
  return renderer.render({ kind: 'logo' });
}

/** Ends the thread that renders; no image can be rendered after that. */
export function closeRenderer(): Promise<void> {
  return renderer.close();
}
