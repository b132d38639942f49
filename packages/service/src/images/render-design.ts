import { keepRendered } from './keep-rendered.ts';
import { renderInWorker } from './render-in-worker.ts';

const renderPicture = keepRendered(renderInWorker);

/**
 * The PNG of a built-in design without a headline, rendered at the first call.
 *
 * @throws if no built-in design has this id.
 */
export function renderDesign(id: string): Promise<Buffer> {
  return renderPicture(`designs/${id}`);
}

/** The PNG of the logo of a community that has none, rendered at the first call. */
export function renderLogo(): Promise<Buffer> {
  return renderPicture('logo');
}
