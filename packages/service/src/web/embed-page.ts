import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Settings } from '../context.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Embed, type EmbeddedOwner, readEmbed } from '../domain/tokens/read-embed.ts';
import type { PrepareErrorResponse } from '../http/errors.ts';
import { isNotModified, makeEtag } from '../http/etag.ts';
import { escapeHtml } from '../mail/plain-text.ts';
import { chooseLanguage, directionOf, type PageLanguage } from './choose-language.ts';
import { EMBED_TEXTS, type EmbedTexts } from './embed-texts.ts';
import { isProblemWanted } from './web-pages.ts';

// The picture is up to 144 CSS pixels wide, and most screens have two pixels for each.
const PICTURE_PIXELS = 256;
// A revocation is visible after this time. The page is shown on pages with many visitors.
const MAX_AGE_SECONDS = 60;

// As the web pages write days.
const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;

/** How the visitor wants to see an embed. */
interface Look {
  language: PageLanguage;
  /** Null: as the visitor's system is set. */
  theme: 'light' | 'dark' | null;
}

/**
 * Serves the embeds: small pages about a token that other pages show in a frame. They work without scripts.
 * All their content is from the service, also the style, whose hash is in the policy.
 */
export async function addEmbedPage(
  web: FastifyInstance,
  { context, prepareErrorResponse }: { context: Context; prepareErrorResponse: PrepareErrorResponse },
): Promise<void> {
  const { settings } = context;
  const config = { access: 'public', addressPolicy: 'page' } as const;

  web.setErrorHandler((error, request, reply) => {
    const problem = prepareErrorResponse(error, request, reply);
    if (isProblemWanted(request)) return reply.send(problem);
    const look = readLook(request);
    const { missing, failed } = EMBED_TEXTS[look.language];
    const isMissing = error instanceof Refusal && error.errorName === 'TokenNotFound';
    const text = isMissing ? missing : failed;
    const html = toPage(settings, look, { title: text, content: `<h1>${text}</h1>` });
    // Bytes, because `prepareErrorResponse` lets texts be written as JSON.
    return addHtmlHeaders(reply, settings).send(Buffer.from(html));
  });

  web.get('/embed/token/:tokenId', { schema: { hide: true }, config }, async (request, reply) => {
    const { tokenId } = request.params as { tokenId: string };
    const { owner } = request.query as { owner?: string | string[] };
    const reader = request.server.openReader(request, reply);
    // A parameter that is repeated is an array.
    const embed = await readEmbed(context, reader, {
      tokenId,
      owner: typeof owner === 'string' ? owner : '',
    });
    const look = readLook(request);
    const html = Buffer.from(toPage(settings, look, describe(settings, look, embed)));
    addHtmlHeaders(reply, settings).header('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    if (isNotModified(request, reply, makeEtag(html))) return reply.send();
    reader.startWriting(html.length);
    return reply.send(html);
  });
}

function readLook({ query, headers }: FastifyRequest): Look {
  const { language, theme } = query as Record<string, unknown>;
  return {
    language: chooseLanguage(language, headers['accept-language']),
    theme: theme === 'light' || theme === 'dark' ? theme : null,
  };
}

interface PageParts {
  /** Plain text. */
  title: string;
  /** HTML. */
  content: string;
}

function describe(
  settings: Settings,
  { language }: Look,
  { token, community, owner, isReplacement }: Embed,
): PageParts {
  const texts = EMBED_TEXTS[language];
  const { tokenId, headline, imageUrl, claimedCount } = token;
  const url = `${settings.publicUrl}/token/${tokenId}${owner === null ? '' : `?owner=${owner.address}`}`;
  // The pictures of the page's own origin, even if `IMAGE_URL` names another.
  const picture = `${imageUrl.replace(settings.imageUrl, '/images')}?size=${PICTURE_PIXELS}`;
  const state =
    owner === null
      ? `<p class="state">${describeCount(texts, claimedCount)}</p>`
      : `<p class="state ${owner.status === 'held' ? 'held' : 'lost'}">${describeOwner(texts, owner)}</p>`;
  return {
    title: headline,
    content: `<img src="${escapeHtml(picture)}" alt="" width="144" height="144">
<div>
<h1><a href="${escapeHtml(url)}" target="_blank" rel="noopener"><bdi>${escapeHtml(headline)}</bdi></a></h1>
<p class="community"><bdi>${escapeHtml(community)}</bdi></p>
${state}${isReplacement ? `\n<p class="state">${texts.replaces}</p>` : ''}
</div>`,
  };
}

function describeCount({ locale, claimed }: EmbedTexts, count: number): string {
  const write = claimed[new Intl.PluralRules(locale).select(count)] ?? claimed.other;
  return write(new Intl.NumberFormat(locale).format(count));
}

function describeOwner(texts: EmbedTexts, owner: EmbeddedOwner): string {
  const address = `<bdi title="${owner.address}">${shortenAddress(owner.address)}</bdi>`;
  if (owner.status === 'none') return `<strong>${texts.notHeld(address)}</strong>`;
  // A visitor's time zone is unknown here.
  const format = new Intl.DateTimeFormat(texts.locale, { ...DAY, timeZone: 'UTC' });
  const date = (timestamp: number, shown = timestamp) =>
    `<time datetime="${new Date(timestamp).toISOString()}">${format.format(shown)}</time>`;
  // The end of a day is written as this day.
  const end = (timestamp: number) => date(timestamp, timestamp - 1);
  if (owner.status === 'held') {
    const until = owner.validUntilTimestamp;
    const lines = [
      texts.claimedOn(date(owner.claimedAtTimestamp)),
      ...(until === null ? [] : [texts.validUntil(end(until))]),
    ];
    return `<strong>${texts.held(address)}</strong> ${lines.join(' · ')}`;
  }
  const isExpired = owner.status === 'expired';
  const lostOn = texts.lostOn[owner.status]((isExpired ? end : date)(owner.statusChangedAtTimestamp));
  const title = isExpired ? texts.expired(address) : texts.notHeld(address);
  return `<strong>${title}</strong> ${lostOn}`;
}

function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e8dfd6, #382f29); --muted: light-dark(#66594f, #bbaea4); }
[data-theme="light"] { color-scheme: light; }
[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; margin: 0; }
html { background: light-dark(#ffffff, #1e1916); color: light-dark(#1f1613, #f8f1ea); font: 14px/1.35 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif; -webkit-text-size-adjust: 100%; }
main { align-items: center; border: 1px solid var(--line); border-radius: 12px; display: grid; gap: 14px; grid-template-columns: auto minmax(0, 1fr); grid-template-rows: 1fr auto; min-height: 100vh; min-height: 100dvh; overflow-wrap: anywhere; padding: 12px; position: relative; }
img { aspect-ratio: 1; border-radius: 8px; display: block; grid-row: 1 / 3; height: auto; object-fit: contain; width: clamp(80px, 30vw, 144px); }
div { display: grid; gap: 4px; }
h1, .community { -webkit-box-orient: vertical; display: -webkit-box; overflow: hidden; }
h1 { -webkit-line-clamp: 2; font-size: 16px; line-height: 1.25; }
h1 a { color: inherit; text-decoration: none; }
h1 a::after { content: ""; inset: 0; position: absolute; border-radius: 12px; }
main:hover h1 a { text-decoration: underline; }
a:focus-visible { outline: none; }
a:focus-visible::after { outline: 3px solid light-dark(#2563eb, #7fb2ff); outline-offset: -3px; }
.community { -webkit-line-clamp: 1; color: var(--muted); }
.state { font-size: 13px; }
.state strong { display: block; font-weight: 650; }
.held strong { color: light-dark(#0b6b53, #5eead4); }
.lost strong { color: light-dark(#8a5a12, #f7c948); }
.state bdi { white-space: nowrap; }
.host { color: var(--muted); font-size: 12px; grid-column: -2; }
main:not(:has(img)) { align-content: center; grid-template: auto auto / 1fr; justify-items: center; text-align: center; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

function toPage({ publicUrl }: Settings, { language, theme }: Look, { title, content }: PageParts): string {
  const themeAttribute = theme === null ? '' : ` data-theme="${theme}"`;
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"${themeAttribute}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
${content}
<p class="host"><bdi>${escapeHtml(new URL(publicUrl).host)}</bdi></p>
</main></body></html>
`;
}

/** The only page that others may show in a frame, so its headers are its own. */
function addHtmlHeaders(reply: FastifyReply, { publicUrl }: Settings): FastifyReply {
  const policy = [
    "default-src 'none'",
    'frame-ancestors *',
    "base-uri 'none'",
    "form-action 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    // In a frame with `sandbox`, some browsers do not count the page's own origin as 'self'.
    `img-src 'self' ${new URL(publicUrl).origin}`,
  ].join('; ');
  return (
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', policy)
      // A page that is isolated from other origins shows only frames with these two headers.
      .header('Cross-Origin-Resource-Policy', 'cross-origin')
      .header('Cross-Origin-Embedder-Policy', 'require-corp')
      .header('Vary', 'Accept-Language')
      .header('X-Robots-Tag', 'noindex')
  );
}
