import { expect, test } from 'vitest';
import { expectSecurityHeaders, responseHeadersFixture } from '../testing/response-headers-fixture.ts';

const fixture = responseHeadersFixture();
const { listRoutes, call } = fixture;

// No path has a route for this method. It stands for all methods that get 405.
const UNKNOWN_METHOD = 'PROPFIND';

const isWebPage = (path: string) =>
  /^\/(|badges|unsubscribe|verify|console.*|(claim|embed|reserve|token|wallet|community)\/.*)$/.test(path);

// The only page that others can show in a frame.
const isEmbed = (path: string) => path === '/embed/token/:tokenId';

test('with a right, a wrong and no key, every response has the security headers, and every error also no-store', async () => {
  const routes = listRoutes();
  for (const path of new Set(routes.map((route) => route.path)))
    routes.push({ method: UNKNOWN_METHOD, path });
  expect(routes.length).toBeGreaterThan(200);
  const statuses = new Set<number>();
  for (const route of routes) {
    for (const key of [undefined, fixture.service.adminKey, 'a wrong key']) {
      const { statusCode, headers } = await call(route, key);
      statuses.add(statusCode);
      const title = `${route.method} ${route.path} ${statusCode}`;
      // The methods that the path does not have are refused before.
      const mayBeFramed = isEmbed(route.path) && ['GET', 'HEAD'].includes(route.method);
      expectSecurityHeaders(headers, title, { mayBeFramed });
      if (statusCode >= 400) {
        const isPage =
          isWebPage(route.path) &&
          (['GET', 'HEAD'].includes(route.method) || `${route.method} ${route.path}` === 'POST /unsubscribe');
        const contentType = isPage ? 'text/html; charset=utf-8' : 'application/problem+json';
        expect(headers, title).toMatchObject({ 'cache-control': 'no-store', 'content-type': contentType });
      }
      if (statusCode === 204) expect(headers, title).not.toHaveProperty('content-length');
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 415]));
});
