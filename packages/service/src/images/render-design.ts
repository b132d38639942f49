export { renderDesign, renderLogo } from './render-image.ts';
