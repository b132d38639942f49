import type { Settings } from '../context.ts';

const PRODUCT_NAME = 'Badge';
// Social networks show about this much of a description.
const MAX_DESCRIPTION_CHARACTERS = 200;

/** What search engines and social networks show of a page. All texts are plain text. */
export interface PageHead {
  /** The name of the product is added, unless it is the title. */
  title: string;
  description: string;
  /** The path of the page, with the part of its query that changes these texts. */
  path: string;
  picture: {
    url: string;
    /** The width and height of a square picture, in pixels. Undefined if they are unknown. */
    sizePixels?: number;
  };
  /** The path of the main picture of the page. The browser loads it while it still loads the scripts. */
  mainPicturePath?: string;
  /** Whether the page may offer to keep a badge with an e-mail. */
  hasKeptBadges?: boolean;
  /** Whether other sites can embed what the page is about (`/oembed`). */
  isEmbeddable?: boolean;
}

/**
 * Returns the tags of a page: title, description, canonical URL, oEmbed, preload of the main picture, Open
 * Graph and Twitter.
 */
export function toHeadTags({ publicUrl }: Settings, head: PageHead): string {
  const { title, description, path, picture, mainPicturePath, hasKeptBadges = false } = head;
  const shortDescription = shorten(description);
  const url = publicUrl + path;
  const properties: Record<string, string> = {
    'og:site_name': PRODUCT_NAME,
    'og:type': 'website',
    'og:url': url,
    'og:title': title,
    'og:description': shortDescription,
    'og:image': picture.url,
    ...(picture.sizePixels === undefined
      ? {}
      : { 'og:image:width': `${picture.sizePixels}`, 'og:image:height': `${picture.sizePixels}` }),
    'og:image:alt': title,
  };
  const names: Record<string, string> = {
    description: shortDescription,
    'twitter:card': 'summary',
    'twitter:title': title,
    'twitter:description': shortDescription,
    'twitter:image': picture.url,
  };
  return [
    `<title>${escapeHtml(title === PRODUCT_NAME ? title : `${title} · ${PRODUCT_NAME}`)}</title>`,
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    ...(head.isEmbeddable ? [toEmbedLink(publicUrl, url, title)] : []),
    ...(mainPicturePath === undefined
      ? []
      : [`<link rel="preload" as="image" fetchpriority="high" href="${escapeHtml(mainPicturePath)}">`]),
    ...(hasKeptBadges ? ['<meta name="badge-has-kept-badges" content="true">'] : []),
    ...Object.entries(names).map(([name, text]) => `<meta name="${name}" content="${escapeHtml(text)}">`),
    ...Object.entries(properties).map(
      ([name, text]) => `<meta property="${name}" content="${escapeHtml(text)}">`,
    ),
  ].join('\n    ');
}

function toEmbedLink(publicUrl: string, url: string, title: string): string {
  const href = `${publicUrl}/oembed?${new URLSearchParams({ url, format: 'json' })}`;
  return `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(href)}" title="${escapeHtml(title)}">`;
}

function shorten(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  if (characters.length <= MAX_DESCRIPTION_CHARACTERS) return characters.join('');
  return `${characters
    .slice(0, MAX_DESCRIPTION_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
