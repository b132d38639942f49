// Nothing here loads the canvas or a font: only the worker thread does.
export { BUILT_IN_DESIGNS } from './designs.ts';
export type { Design } from './draw-design.ts';
export { createImageRenderer, type ImageRenderer, type ImageRendererOptions } from './image-renderer.ts';
export { RenderBusy } from './render-queue.ts';
