// Importing this file loads neither the canvas nor a font. Only the worker thread loads them.
export { BUILT_IN_DESIGNS } from './designs.ts';
export type { Design } from './draw-design.ts';
export type { DrawnSpec, ImageSpec } from './draw-image.ts';
export { createImageRenderer, type ImageRenderer, type ImageRendererOptions } from './image-renderer.ts';
export { ClientBusy, RenderBusy, type Requester } from './render-queue.ts';
export { DESIGN_SIZE, LOGO_SIZE } from './sizes.ts';
