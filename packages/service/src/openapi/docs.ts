import { readFile } from 'node:fs/promises';
import { ERRORS } from '@badge/protocol';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../context.ts';
import { NOT_FOUND } from '../http/errors.ts';
import { STYLED_PAGE_POLICY, swaggerUiPolicy } from '../http/response-headers.ts';
import { readBadInputPage } from '../web-build.ts';

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

// Swagger UI derives the URL of its document from the URL of its page, which fails if the latter has a query.
const DROP_QUERY =
  "if (location.search !== '') history.replaceState(null, '', location.pathname + location.hash);";

// What screen readers need and Swagger UI does not write: names of fields, levels of headings, and parts with
// a role. A link in a button becomes text; the button does the same. The keyboard reaches what scrolls.
// Swagger UI draws the page in several steps.
const DESCRIBE_PARTS = `
const NAMES = {
  '#servers': 'Server',
  '.body-param__text': 'Request body',
  '.examples-select-element': 'Example',
};
const REGIONS = { '.information-container': 'About the API', '.schemes-server-container': 'Server' };
function describeParts() {
  const findAll = (selector) => document.querySelectorAll('.swagger-ui ' + selector);
  for (const [selector, name] of Object.entries(NAMES))
    for (const field of findAll(selector)) field.ariaLabel = name;
  for (const [selector, name] of Object.entries(REGIONS))
    for (const part of findAll(selector)) Object.assign(part, { role: 'region', ariaLabel: name });
  for (const heading of findAll(':is(h3, h4, h5, h6):not([aria-level])'))
    heading.ariaLevel = String(Number(heading.localName[1]) - 1);
  for (const link of findAll('button a[href]')) link.removeAttribute('href');
  for (const scrollable of findAll('.microlight')) scrollable.tabIndex = 0;
}
new MutationObserver(describeParts).observe(document, { childList: true, subtree: true });
`;

// Colours with enough contrast, and wide tables that scroll. Swagger UI has no options for these.
const SWAGGER_UI_STYLES = `
.swagger-ui .info a, .swagger-ui .info .link, .swagger-ui .link { color: #1f5fae; }
.swagger-ui .info .title small { background-color: #565d6b; }
.swagger-ui .info .title small.version-stamp { background-color: #4d6b00; }
.swagger-ui .btn.authorize { border-color: #17734a; color: #17734a; }
.swagger-ui .btn.authorize svg { fill: #17734a; }
.swagger-ui .btn.execute { background-color: #1f5fae; border-color: #1f5fae; }
.swagger-ui .btn.cancel { border-color: #c41f1f; color: #c41f1f; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fae; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17734a; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5a00; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0a6e60; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #c41f1f; }
.swagger-ui .json-schema-2020-12-expand-deep-button, .swagger-ui .json-schema-2020-12__title { color: #3b4151; }
.swagger-ui .parameter__in, .swagger-ui .prop-format { color: #595959; }
.swagger-ui .microlight [style*='211, 99, 99'] { color: #ff9d9d !important; }
.swagger-ui .responses-wrapper, .swagger-ui .table-container { overflow-x: auto; }
.swagger-ui .opblock-summary-path, .swagger-ui .opblock-summary-description { min-width: 0; overflow-wrap: anywhere; }
`;

/** Reads openapi.json, because to generate it takes some tenths of a second. */
export async function readOpenApi(app: FastifyInstance): Promise<void> {
  const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
  await app.register(swagger, { mode: 'static', specification: { document } });
}

/** Serves /openapi.json, Swagger UI at /docs, /docs/errors and /docs/bad-input. */
export async function addDocs(app: FastifyInstance, settings: Settings): Promise<void> {
  let document: Buffer | undefined;
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { access: 'public' } },
    async (_request, reply) => {
      // All responses send the same buffer, so slow clients take no additional memory.
      document ??= Buffer.from(JSON.stringify({ ...app.swagger(), servers: [{ url: settings.publicUrl }] }));
      return reply
        .header('Access-Control-Allow-Origin', '*')
        .type('application/json; charset=utf-8')
        .send(document);
    },
  );
  app.get('/docs/errors', { schema: { hide: true }, config: { access: 'public' } }, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', STYLED_PAGE_POLICY)
      .send(errorsPage()),
  );
  const badInputPage = await readBadInputPage();
  app.get(
    '/docs/bad-input',
    { schema: { hide: true }, config: { access: 'public' } },
    async (_request, reply) => {
      if (badInputPage === null) throw NOT_FOUND;
      return reply
        .type('text/html; charset=utf-8')
        .header('Content-Security-Policy', STYLED_PAGE_POLICY)
        .send(badInputPage);
    },
  );
  // Without it, a phone would show the page of Swagger UI as wide as that of a computer.
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? payload.replace('<head>\n', `<head>${VIEWPORT}`) : payload,
  );
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    transformStaticCSP: () => swaggerUiPolicy(settings),
    uiConfig: {
      tryItOutEnabled: true,
      // The browser would keep the key, for everyone who uses it later.
      persistAuthorization: settings.environment === 'sandbox',
      // `BaseLayout` has no bar for the URL of another document.
      layout: 'BaseLayout',
    },
    theme: {
      title: 'Badge Token Service',
      css: [{ filename: 'badge.css', content: SWAGGER_UI_STYLES }],
      js: [{ filename: 'badge.js', content: DROP_QUERY + DESCRIBE_PARTS }],
    },
  });
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([name, { status, title, meaning }]) =>
      `<tr id="${name}"><td>${status}</td><td><code>${name}</code></td><td>${title}</td><td>${meaning.replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${VIEWPORT}<title>Errors of the Badge Token Service</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}td,th{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0}tr:target{background:light-dark(#fff3c4,#463a00)}code{overflow-wrap:anywhere}@media(max-width:60rem){thead{display:none}table,tbody,tr,td{display:block}td{padding:0}tr{padding:.8rem 0;border-top:1px solid #8885}}</style></head>
<body><main><h1>Errors</h1>
<p>Every error is a problem object (RFC 9457), sent as <code>application/problem+json</code>: <code>type, title, status, detail, instance, name, error, errors?</code>. Compare <code>name</code> in your code: it is stable. <code>detail</code> describes the error and can change. <code>instance</code> contains the request id.</p>
<table><thead><tr><th>Status</th><th>Name</th><th>Title</th><th>When</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></main></body></html>
`;
}
