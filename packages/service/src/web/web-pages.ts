import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { findOwner } from '../domain/claims/find-owner.ts';
import { readCommunity } from '../domain/communities/read-community.ts';
import { readImportedTokenId } from '../domain/imports/read-imported-token.ts';
import { hasKeptBadges } from '../domain/kept-addresses.ts';
import { isBuiltIn } from '../domain/nft-types/rules.ts';
import type { Reader } from '../domain/reader.ts';
import { readToken } from '../domain/tokens/read-token.ts';
import { createMediaTypeChooser } from '../http/choose-media-type.ts';
import { NOT_FOUND, type PrepareErrorResponse } from '../http/errors.ts';
import { isNotModified, makeEtag } from '../http/etag.ts';
import { VERIFY_PAGE_POLICY, WEB_PAGE_POLICY } from '../http/response-headers.ts';
import type { WebBuild, WebHtml } from '../web-build.ts';
import { type PageHead, toHeadTags } from './page-head.ts';

// The width and height of a picture of a built-in design.
const DRAWN_PICTURE_PIXELS = 1_000;

const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Badge</title></head>
<body><h1>The web pages are not built</h1>
<p>In the directory of the service, run <code>npm run prepare</code>, then restart the service. <code>npm ci</code> also builds them, unless it runs with <code>--ignore-scripts</code>.</p>
<p>The API works without them. See the <a href="/docs">API reference</a>.</p></body></html>
`;

/** The console shows all its pages with the same HTML, and says itself if there is no such page. */
const CONSOLE_PATHS = ['/console', '/console/*'];

const VERIFY_PATH = '/verify';

interface WebPageOptions {
  context: Context;
  /** Null if the pages are not built. */
  webBuild: WebBuild | null;
  prepareErrorResponse: PrepareErrorResponse;
}

/** A request for a page. */
interface PageRequest {
  /** The parameters in its path. */
  params: Record<string, string>;
  /**
   * The query parameter `owner`. Links of this service contain an address here, but a client can send any
   * text. Empty if the parameter is absent or repeated.
   */
  owner: string;
  reader: Reader;
}

/** Reads what the tags of a page show. Throws a Refusal if the page shows something that does not exist. */
type ReadHead = (request: PageRequest) => Promise<PageHead>;

/** What the title, the description and the path of a page about a token can contain. */
interface TokenTexts {
  tokenId: number;
  headline: string;
  /** The name of the token's community. */
  community: string;
  /** The address in the query parameter `owner`; undefined if this address does not hold the token. */
  owner: string | undefined;
}

/**
 * Serves the HTML of the web pages. It is the same for all pages but the console, except for the tags of
 * `page-head.ts`, such as the title. The scripts of the page read everything else from the API. After an
 * error, such as 404 or 429, the HTML is sent without these tags and with the status of the error, so that
 * the page can load and show the error. A client that prefers JSON gets the problem object instead.
 */
export async function addWebPages(web: FastifyInstance, options: WebPageOptions): Promise<void> {
  const { context, webBuild, prepareErrorResponse } = options;
  const { settings } = context;
  const pagesWithoutTags = Buffer.from(webBuild === null ? NOT_BUILT_PAGE : withoutTags(webBuild.html));
  const consoleWithoutTags = Buffer.from(
    webBuild === null ? NOT_BUILT_PAGE : withoutTags(webBuild.consoleHtml),
  );
  const withoutTagsOf = ({ routeOptions: { url = '' } }: FastifyRequest) =>
    CONSOLE_PATHS.includes(url) ? consoleWithoutTags : pagesWithoutTags;

  web.setErrorHandler((error, request, reply) => {
    const problem = prepareErrorResponse(error, request, reply);
    if (isProblemWanted(request)) return reply.send(problem);
    return addHtmlHeaders(reply, request.routeOptions.url).send(withoutTagsOf(request));
  });

  function addPage(path: string, readHead: ReadHead): void {
    const config = { access: 'public', addressPolicy: 'page' } as const;
    web.get(path, { schema: { hide: true }, config }, async (request, reply) => {
      if (webBuild === null) {
        return addHtmlHeaders(reply).code(503).header('Cache-Control', 'no-store').send(pagesWithoutTags);
      }
      const reader = request.server.openReader(request, reply);
      const { owner } = request.query as { owner?: string | string[] };
      const pageHead = await readHead({
        params: request.params as Record<string, string>,
        owner: typeof owner === 'string' ? owner : '',
        reader,
      });
      // A page that is opened by a link of another one has the tags of that one.
      const head = { ...pageHead, hasKeptBadges: hasKeptBadges(context) };
      const { start, end } = CONSOLE_PATHS.includes(path) ? webBuild.consoleHtml : webBuild.html;
      const html = Buffer.from(start + toHeadTags(settings, head) + end);
      addHtmlHeaders(reply, path).header('Cache-Control', 'no-cache');
      if (isNotModified(request, reply, makeEtag(html))) return reply.send();
      reader.startWriting(html.length);
      return reply.send(html);
    });
  }

  /** Leads from the page of a badge at another service to that of the token that it has become. */
  function addRedirect(path: string, target: 'token' | 'claim'): void {
    const config = { access: 'public', addressPolicy: 'page' } as const;
    web.get(path, { schema: { hide: true }, config }, async (request, reply) => {
      const { communityId = '', service = '', id = '' } = request.params as Record<string, string>;
      const tokenId = await readImportedTokenId(context, { communityId, service, id });
      const query = /\?.*/.exec(request.url)?.[0] ?? '';
      return reply.header('Cache-Control', 'no-cache').redirect(`/${target}/${tokenId}${query}`, 302);
    });
  }

  const logo = () => ({ url: `${settings.imageUrl}/logo.png` });

  /**
   * Returns a function that reads the tags of a page about a token. Their description is `lead`, followed by
   * the token's description.
   */
  function readTokenHead(
    describe: (texts: TokenTexts) => Pick<PageHead, 'title' | 'path' | 'isEmbeddable'> & {
      lead: string;
    },
  ): ReadHead {
    return async ({ params: { tokenId: id = '' }, owner: linkedOwner, reader }) => {
      const token = await readToken(context, reader, id);
      const { tokenId, headline, description, communityId, imageUrl, nftTypeId } = token;
      const [{ name: community }, owner] = await Promise.all([
        readCommunity(context, communityId),
        findOwner(context, tokenId, linkedOwner),
      ]);
      const { lead, ...texts } = describe({ tokenId, headline, community, owner });
      return {
        ...texts,
        description: `${lead} ${description}`,
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
    readTokenHead(({ tokenId, headline, community, owner }) => ({
      isEmbeddable: true,
      ...(owner === undefined
        ? { title: headline, path: `/token/${tokenId}`, lead: `A badge of ${community}.` }
        : {
            title: `${headline}: badge of ${shortenAddress(owner)}`,
            path: `/token/${tokenId}?owner=${owner}`,
            lead: `${shortenAddress(owner)} has this badge of ${community}.`,
          }),
    })),
  );
  addPage(
    '/claim/:tokenId',
    readTokenHead(({ tokenId, headline, community }) => ({
      title: `Claim ${headline}`,
      path: `/claim/${tokenId}`,
      lead: `Claim this badge of ${community}. It costs nothing.`,
    })),
  );
  addPage(
    '/reserve/:tokenId',
    readTokenHead(({ tokenId, headline, community }) => ({
      title: `Keep a place: ${headline}`,
      path: `/reserve/${tokenId}`,
      lead: `Confirm your e-mail, and this badge of ${community} waits until you have a wallet.`,
    })),
  );
  addPage(
    '/claim/:tokenId/print',
    readTokenHead(({ tokenId, headline, community }) => ({
      title: `Print ${headline}`,
      path: `/claim/${tokenId}/print`,
      lead: `A sheet of QR codes to claim this badge of ${community} at an event.`,
    })),
  );
  addRedirect('/from/:communityId/:service/:id', 'token');
  addRedirect('/from/:communityId/:service/:id/claim', 'claim');
  addPage('/wallet/:address', async ({ params: { address = '' } }) => {
    if (!/^0x[0-9a-f]{40}$/i.test(address)) throw NOT_FOUND;
    return {
      title: `Badges of ${shortenAddress(address)}`,
      description: `The badges of the wallet ${address}.`,
      path: `/wallet/${address}`,
      picture: logo(),
    };
  });
  addPage('/community/:communityId', async ({ params: { communityId = '' } }) => {
    const { uniqId, name, description, logoUrl } = await readCommunity(context, communityId);
    return {
      title: name,
      description: description || `The badges of ${name}.`,
      path: `/community/${uniqId}`,
      picture: { url: logoUrl },
    };
  });
  addPage('/sign-in', async () => ({
    title: 'Sign in',
    description: 'Sign in with a code that was sent by mail.',
    path: '/sign-in',
    picture: logo(),
  }));
  addPage('/my-badges', async () => ({
    title: 'My badges',
    description:
      'See the badges that you keep with your e-mail, show or hide them, and move them to a wallet.',
    path: '/my-badges',
    picture: logo(),
  }));
  addPage(VERIFY_PATH, async () => ({
    title: 'Check a credential',
    description: 'Find out what the file of a badge says, who signed it, and whether it is still valid.',
    path: VERIFY_PATH,
    picture: logo(),
  }));
  for (const path of CONSOLE_PATHS) {
    addPage(path, async () => ({
      title: 'Console',
      description: 'Create badges, give them to people and look after them, without code.',
      path: '/console',
      picture: logo(),
    }));
  }
}

const choosePageType = createMediaTypeChooser(['text/html', 'application/json', 'application/problem+json']);

/** Whether a client that asks for a page prefers JSON to HTML. */
export function isProblemWanted(request: FastifyRequest): boolean {
  return choosePageType(request)?.startsWith('application/') ?? false;
}

const chooseErrorType = createMediaTypeChooser(['application/json', 'application/problem+json', 'text/html']);

/**
 * Handles unknown paths. A browser that opens one gets the HTML of the pages, which says so, with the status
 * 404.
 */
export function createNotFoundHandler(
  webBuild: WebBuild | null,
  prepareErrorResponse: PrepareErrorResponse,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const html = webBuild === null ? null : Buffer.from(withoutTags(webBuild.html));
  return (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (html === null || !isRead || chooseErrorType(request) !== 'text/html') throw NOT_FOUND;
    prepareErrorResponse(NOT_FOUND, request, reply);
    return addHtmlHeaders(reply).send(html);
  };
}

function withoutTags({ start, end }: WebHtml): string {
  return `${start}<title>Badge</title>${end}`;
}

function addHtmlHeaders(reply: FastifyReply, path?: string): FastifyReply {
  const policy = path === VERIFY_PATH ? VERIFY_PAGE_POLICY : WEB_PAGE_POLICY;
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', policy);
}

/** Returns the first and the last characters of an address, such as `0x530E…0044`. */
function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
