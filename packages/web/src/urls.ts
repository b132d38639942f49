/**
 * Returns the path, always below `/images`, of a picture or video on the page's own origin. The URL can be on
 * another origin, which the operator sets with `PUBLIC_URL` or `IMAGE_URL`. The security policy of the pages
 * allows only files of their own origin.
 */
export function assetPath(url: string): string {
  // The base is needed if `url` is only a path. Its host is not used.
  const { pathname } = new URL(url, 'http://localhost');
  return `/images/${pathname.split('/').slice(-2).join('/')}`;
}

const VIDEO_EXTENSION = /\.(mp4|webm)$/;

/** The path of a picture. A video has a poster of the same name. */
export function picturePath(url: string): string {
  return assetPath(url).replace(VIDEO_EXTENSION, '.png');
}

/** Whether a URL leads to a video. */
export function isVideo(url: string): boolean {
  return VIDEO_EXTENSION.test(url);
}

/**
 * Whether the pages show a text as a link. Only http and https links are safe to follow; `javascript:` is
 * not.
 */
export function isWebLink(link: string): boolean {
  return URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
}

/** Parses the id of a token in a path. Returns null if the text cannot be an id. */
export function parseTokenId(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** Whether a text has the form of an address. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

/** Whether only this computer can open a page of the host. */
export function isLocalHost(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
