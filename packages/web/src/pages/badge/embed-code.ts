import { shortenText } from './shorten-text.ts';

const WIDTH = 400;
const HEIGHT = 200;
const MAX_ALT_CHARACTERS = 80;

interface EmbeddedBadge {
  /** The origin of the service, such as `https://badge.example`. */
  origin: string;
  tokenId: number;
  headline: string;
  /** The address whose badge it is. */
  owner: string;
}

/** The HTML that shows a badge in another page. `/oembed` returns the same. */
export function toEmbedHtml({ origin, tokenId, headline, owner }: EmbeddedBadge): string {
  const url = `${origin}/embed/token/${tokenId}?owner=${owner}`;
  return `<iframe src="${url}" title="${escapeHtml(headline)}" width="${WIDTH}" height="${HEIGHT}" loading="lazy" frameborder="0" style="border:0;border-radius:12px;max-width:100%"></iframe>`;
}

/** The line of Markdown that shows a small picture of a badge, with a link to its page. */
export function toReadmeLine({ origin, tokenId, headline, owner }: EmbeddedBadge): string {
  const alt = escapeMarkdown(shortenText(headline, MAX_ALT_CHARACTERS));
  return `[![${alt}](${origin}/images/token/${tokenId}.svg)](${origin}/token/${tokenId}?owner=${owner})`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\[\]<>&*_`~|]/g, '\\$&');
}
