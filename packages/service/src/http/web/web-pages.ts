import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';
import { readCommunity } from '../../domain/communities/read-community.ts';
import { isBuiltIn } from '../../domain/nft-types/rules.ts';
import type { Reader } from '../../domain/reader.ts';
import { readToken } from '../../domain/tokens/read-token.ts';
import type { WebBuild } from '../../web-build.ts';
import { NOT_FOUND, type PrepareErrorResponse } from '../errors.ts';
import { matchesEtag } from '../etag.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import { WEB_PAGE_POLICY } from '../response-headers.ts';
import { type PageHead, toHeadTags } from './page-head.ts';

// The width and height of a picture of a built-in design.
const DRAWN_PICTURE_PIXELS = 1_000;

const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Badge</title></head>
<body><h1>The web pages are not built</h1>
<p>In the directory of the service, run <code>npm run prepare</code>, then restart the service. <code>npm ci</code> also builds them, unless it runs with <code>--ignore-scripts</code>.</p>
<p>The API works without them. See the <a href="/docs">API reference</a>.</p></body></html>
`;

interface WebPageOptions {
  context: Context;
  rateLimiter: RateLimiter | null;
  /** Null if the pages are not built. */
  webBuild: WebBuild | null;
  prepareErrorResponse: PrepareErrorResponse;
}

/** Reads what the tags of a page show. Throws a Refusal if the page shows something that does not exist. */
type ReadHead = (params: Record<string, string>, reader: Reader) => Promise<PageHead>;

/**
 * Serves the HTML of the web pages. It is the same for all pages, except for the tags that social networks read: the
 * scripts of the page read everything else from the API. After an error, such as 404 or 429, the HTML is sent without
 * these tags and with the status of the error, so that the page can load and show the error.
 */
export async function addWebPages(web: FastifyInstance, options: WebPageOptions): Promise<void> {
  const { context, rateLimiter, webBuild, prepareErrorResponse } = options;
  const { settings } = context;
  const { start, end } = webBuild?.html ?? { start: NOT_BUILT_PAGE, end: '' };
  const htmlWithoutTags = Buffer.from(webBuild === null ? start : `${start}<title>Badge</title>${end}`);

  web.setErrorHandler((error, request, reply) => {
    prepareErrorResponse(error, request, reply);
    return addHtmlHeaders(reply).send(htmlWithoutTags);
  });
  if (rateLimiter !== null) web.addHook('onRequest', rateLimiter.beforeAuthentication);

  function addPage(path: string, readHead: ReadHead): void {
    const config = { access: 'public', addressPolicy: 'page' } as const;
    web.get(path, { schema: { hide: true }, config }, async (request, reply) => {
      if (webBuild === null) {
        return addHtmlHeaders(reply).code(503).header('Cache-Control', 'no-store').send(htmlWithoutTags);
      }
      const reader = await request.server.openReader(request, reply);
      const head = await readHead(request.params as Record<string, string>, reader);
      const html = Buffer.from(start + toHeadTags(settings, head) + end);
      const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
      addHtmlHeaders(reply).header('Cache-Control', 'no-cache').header('ETag', etag);
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      reader.startWriting(html.length);
      return reply.send(html);
    });
  }

  const logo = () => ({ url: `${settings.imageUrl}/logo.png` });

  /** Reads the tags of a page about a token. `describe` returns its title, and its description if the token has none. */
  function readTokenHead(
    pathOf: (tokenId: number) => string,
    describe: (headline: string) => { title: string; description: string },
  ): ReadHead {
    return async ({ tokenId: id = '' }, reader) => {
      const { tokenId, headline, description, imageUrl, nftTypeId } = await readToken(context, reader, id);
      const { title, description: defaultDescription } = describe(headline);
      return {
        title,
        description: description || defaultDescription,
        path: pathOf(tokenId),
        picture: { url: imageUrl, ...(isBuiltIn(nftTypeId) ? { sizePixels: DRAWN_PICTURE_PIXELS } : {}) },
        // The page loads pictures from its own origin, even if `IMAGE_URL` names another.
        mainPicturePath: imageUrl.replace(settings.imageUrl, '/images'),
      };
    };
  }

  addPage('/', async () => ({
    title: 'Badge',
    description: 'Claim and collect badges for what you did: spoke, contributed, won, took part.',
    path: '/',
    picture: logo(),
  }));
  addPage('/badges', async () => ({
    title: 'All badges',
    description: 'All badges of this service, the newest first.',
    path: '/badges',
    picture: logo(),
  }));
  addPage(
    '/token/:tokenId',
    readTokenHead(
      (tokenId) => `/token/${tokenId}`,
      (headline) => ({ title: headline, description: 'A badge. See who has it.' }),
    ),
  );
  addPage(
    '/claim/:tokenId',
    readTokenHead(
      (tokenId) => `/claim/${tokenId}`,
      (headline) => ({ title: `Claim ${headline}`, description: 'Claim this badge. It costs nothing.' }),
    ),
  );
  addPage(
    '/claim/:tokenId/print',
    readTokenHead(
      (tokenId) => `/claim/${tokenId}/print`,
      (headline) => ({
        title: `Print ${headline}`,
        description: 'A sheet of QR codes to claim this badge at an event.',
      }),
    ),
  );
  addPage('/wallet/:address', async ({ address = '' }) => {
    if (!/^0x[0-9a-f]{40}$/i.test(address)) throw NOT_FOUND;
    return {
      title: `Badges of ${address.slice(0, 6)}…${address.slice(-4)}`,
      description: `The badges of the wallet ${address}.`,
      path: `/wallet/${address}`,
      picture: logo(),
    };
  });
  addPage('/community/:communityId', async ({ communityId = '' }) => {
    const { uniqId, name, description, logoUrl } = await readCommunity(context, communityId);
    return {
      title: name,
      description: description || `The badges of ${name}.`,
      path: `/community/${uniqId}`,
      picture: { url: logoUrl },
    };
  });
}

function addHtmlHeaders(reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', WEB_PAGE_POLICY);
}
