import type { OEmbed } from '@badge/protocol';
import type { Context, Settings } from '../../context.ts';
import { escapeHtml } from '../../mail/plain-text.ts';
import { isBuiltIn } from '../nft-types/rules.ts';
import { PICTURE_SIZES } from '../pictures/rules.ts';
import type { Reader } from '../reader.ts';
import { Refusal } from '../refusal.ts';
import { readEmbed } from './read-embed.ts';

// All texts of the embed fit in these sizes, in pixels.
const WIDTH = 400;
const HEIGHT = 200;
const MIN_WIDTH = 300;
const MIN_HEIGHT = 160;
const MAX_THUMBNAIL = 512;
const CACHE_SECONDS = 300;

interface OEmbedRequest {
  url: string;
  maxwidth?: number | undefined;
  maxheight?: number | undefined;
}

/** Reads the oEmbed response for the URL of a token's web page. Throws a Refusal for any other URL. */
export async function readOEmbed(context: Context, reader: Reader, request: OEmbedRequest): Promise<OEmbed> {
  const { settings } = context;
  const { token, community, owner } = await readEmbed(context, reader, parsePageUrl(settings, request.url));
  const { tokenId, headline, communityId } = token;
  const { maxwidth = WIDTH, maxheight = HEIGHT } = request;
  const fits = maxwidth >= MIN_WIDTH && maxheight >= MIN_HEIGHT;
  const url = `${settings.publicUrl}/embed/token/${tokenId}${owner === null ? '' : `?owner=${owner.address}`}`;
  const size = { width: Math.min(WIDTH, maxwidth), height: Math.min(HEIGHT, maxheight) };
  return {
    version: '1.0',
    type: fits ? 'rich' : 'link',
    title: headline,
    author_name: community,
    author_url: `${settings.publicUrl}/community/${communityId}`,
    provider_name: 'Badge',
    provider_url: `${settings.publicUrl}/`,
    cache_age: CACHE_SECONDS,
    ...(fits ? { html: toFrame(url, headline, size), ...size } : {}),
    ...(isBuiltIn(token.nftTypeId) ? thumbnailOf(token.imageUrl, request) : {}),
  };
}

/**
 * Returns the HTML of an embed. The web page of a token offers the same to copy (`embed-code.ts` of
 * packages/web).
 */
function toFrame(url: string, title: string, { width, height }: { width: number; height: number }): string {
  return `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" width="${width}" height="${height}" loading="lazy" frameborder="0" style="border:0;border-radius:12px;max-width:100%"></iframe>`;
}

/** Returns the largest square picture for which there is room. */
function thumbnailOf(
  imageUrl: string,
  { maxwidth = MAX_THUMBNAIL, maxheight = MAX_THUMBNAIL }: OEmbedRequest,
) {
  const limit = Math.min(maxwidth, maxheight, MAX_THUMBNAIL);
  const size = PICTURE_SIZES.findLast((one) => one <= limit);
  if (size === undefined) return {};
  return { thumbnail_url: `${imageUrl}?size=${size}`, thumbnail_width: size, thumbnail_height: size };
}

// Both schemes are accepted, because people also paste links that were redirected from http.
function parsePageUrl({ publicUrl }: Settings, text: string): { tokenId: string; owner: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const base = new URL(publicUrl);
  const path = url?.pathname.slice(base.pathname.replace(/\/$/, '').length) ?? '';
  const [, tokenId] = /^\/token\/([^/]+)\/?$/.exec(path) ?? [];
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.host !== base.host ||
    tokenId === undefined
  ) {
    throw new Refusal('NotFound', 'There is no embed for this URL.');
  }
  return { tokenId, owner: url.searchParams.get('owner') ?? '' };
}
