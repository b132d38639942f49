/** The width and height of a design and of a poster, in pixels. */
export const DESIGN_SIZE = 1000;

/** The width and height of the default logo, in pixels. */
export const LOGO_SIZE = 512;
