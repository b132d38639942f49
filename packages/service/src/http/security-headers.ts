const HSTS_SECONDS = 365 * 24 * 3_600;

/** What a page may load that is none: nothing; and nobody may frame it. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'";

/** The security headers of every answer; pictures and pages replace what they must. */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': NO_PAGE,
    'Referrer-Policy': 'no-referrer',
    // Who reads with CORS may read on: this is about pages that include an answer without asking.
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${HSTS_SECONDS}` } : {}),
  };
}

/** A picture may be shown on any page; nothing in one may run. */
export const PICTURE_SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** The policy of a page with one inline style. */
export const STYLED_PAGE_POLICY = `${NO_PAGE}; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'`;

/** The policy of Swagger UI, which calls the service by its public address. */
export function swaggerUiPolicy(publicUrl: string): string {
  const service = `'self' ${new URL(publicUrl).origin}`;
  return [
    NO_PAGE,
    "base-uri 'none'",
    "form-action 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src ${service}`,
  ].join('; ');
}
