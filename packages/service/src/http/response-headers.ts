import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../context.ts';

const HSTS_SECONDS = 365 * 24 * 3_600;

/** CSP for non-HTML responses: load nothing, no framing. */
const LOAD_NOTHING_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Adds the headers of every response, unless the reply has them already. */
export function addStandardHeaders(request: FastifyRequest, reply: FastifyReply, settings: Settings): void {
  if (!reply.hasHeader('X-Request-Id')) reply.headers(standardHeaders(request.id, settings));
}

/** The headers of every response. Images and HTML pages replace some of them. */
export function standardHeaders(requestId: string, { publicUrl }: Settings): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': LOAD_NOTHING_POLICY,
    'Referrer-Policy': 'no-referrer',
    // Has no effect on requests with CORS, so web pages can still call the API.
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${HSTS_SECONDS}` } : {}),
  };
}

/** For images and videos: any page can show them, and nothing inside them can run. */
export const PICTURE_SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** CSP for an HTML page with one inline style. */
export const STYLED_PAGE_POLICY = `${LOAD_NOTHING_POLICY}; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'`;

/** CSP for an HTML page with one inline style and a form that is sent to the page itself. */
export const FORM_PAGE_POLICY = `${LOAD_NOTHING_POLICY}; base-uri 'none'; form-action 'self'; style-src 'unsafe-inline'`;

// What Swagger UI and the web pages may load: scripts and styles of the service, and pictures.
const SCRIPTED_PAGE_POLICY = [
  LOAD_NOTHING_POLICY,
  "base-uri 'none'",
  "form-action 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
].join('; ');

/** CSP for Swagger UI, which calls the service at its public URL. */
export function swaggerUiPolicy({ publicUrl }: Settings): string {
  return `${SCRIPTED_PAGE_POLICY}; connect-src 'self' ${new URL(publicUrl).origin}`;
}

/**
 * CSP for the web pages: everything is loaded from the service itself, and scripts and styles are never
 * inline.
 */
export const WEB_PAGE_POLICY = webPagePolicy("'self'");

/**
 * CSP for the page that checks credentials: it also reads credentials, status lists and keys of other sites.
 */
export const VERIFY_PAGE_POLICY = webPagePolicy("'self' https: http:");

function webPagePolicy(connectSources: string): string {
  return `${SCRIPTED_PAGE_POLICY}; media-src 'self'; connect-src ${connectSources}; font-src 'self'`;
}
