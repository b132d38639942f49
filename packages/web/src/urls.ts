/**
 * The path of a picture. The service names pictures by its public address, which the browser may not use: the strict
 * policy of the pages allows pictures of their own origin only. A video has a poster of the same name.
 */
export function picturePath(url: string): string {
  const { pathname } = new URL(url, 'http://localhost');
  return pathname.replace(/\.(mp4|webm)$/, '.png');
}

/** Whether a link can be followed: only http and https are links, and `javascript:` never is. */
export function isWebLink(link: string): boolean {
  return URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
}
