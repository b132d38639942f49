/**
 * Returns the URL of the credential to which a typed link leads. The link of the page of somebody's badge
 * leads to that person's credential. Returns null for a text that is no link.
 */
export function toCredentialUrl(text: string, base: string): URL | null {
  const link = text.trim();
  // Without a scheme, only a path is relative to this service. `badge.example/token/7` is no path of it.
  if (!/^(https?:\/\/|\/)/i.test(link) || !URL.canParse(link, base)) return null;
  const url = new URL(link, base);
  const [, tokenId] = /^\/token\/(\d+)\/?$/.exec(url.pathname) ?? [];
  const owner = url.searchParams.get('owner') ?? '';
  if (tokenId === undefined || !/^0x[0-9a-f]{40}$/i.test(owner)) return url;
  return new URL(`/v1/tokens/${tokenId}/credentials/${owner}.json`, url);
}

/** Finds the token of a service of this kind that a badge says it is. */
export function findOrigin(achievementId: string | null): { origin: string; tokenId: number } | null {
  if (achievementId === null || !URL.canParse(achievementId)) return null;
  const url = new URL(achievementId);
  const [, tokenId] = /^\/v1\/tokens\/([1-9]\d{0,14})$/.exec(url.pathname) ?? [];
  if (tokenId === undefined || !/^https?:$/.test(url.protocol)) return null;
  return { origin: url.origin, tokenId: Number(tokenId) };
}
