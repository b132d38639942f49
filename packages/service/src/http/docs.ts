import { ERRORS } from '@badge/protocol';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../context.ts';
import { addSharedResponses, nameSchemas } from './openapi.ts';
import { STYLED_PAGE_POLICY, swaggerUiPolicy } from './response-headers.ts';

const DESCRIPTION = `Issue badge tokens to Ethereum wallets. A creator signs a token (EIP-712), the service checks the signature and registers it asynchronously: 202 with the \`Location\` of an operation.

Every error is a problem object (RFC 9457) with a stable \`name\`: see [the table of errors](/docs/errors).`;

const API_KEY = [{ bearerKey: [] }, { headerKey: [] }, { basicKey: [] }];
const SECURITY = { public: [], community: API_KEY, operator: API_KEY, optional: [{}, ...API_KEY] };

/** Serves /openapi.json, made from the routes, and /docs, where calls can be tried. */
export async function addDocs(app: FastifyInstance, settings: Settings): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Badge Token Service',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
          headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          basicKey: { type: 'http', scheme: 'basic', description: 'communityId:KEY' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const security = SECURITY[route.config?.access ?? 'public'];
      return { schema: { ...addSharedResponses(schema, { ...route, url }), security }, url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const servers = [{ url: settings.publicUrl || '/' }];
      return nameSchemas({ ...document.openapiObject, servers });
    },
  });

  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { access: 'public' } },
    async (_request, reply) => reply.header('Access-Control-Allow-Origin', '*').send(app.swagger()),
  );
  app.get('/docs/errors', { schema: { hide: true }, config: { access: 'public' } }, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', STYLED_PAGE_POLICY)
      .send(errorsPage()),
  );
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    transformStaticCSP: () => swaggerUiPolicy(settings),
    uiConfig: { tryItOutEnabled: true, persistAuthorization: true, layout: 'BaseLayout' },
    theme: { title: 'Badge Token Service' },
  });
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([name, { status, title, meaning }]) =>
      `<tr id="${name}"><td>${status}</td><td><code>${name}</code></td><td>${title}</td><td>${meaning.replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Errors of the Badge Token Service</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}td,th{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0}tr:target{background:#fff3c4}</style></head>
<body><h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457): <code>type, title, status, detail, instance, name, error, errors?</code>. <code>name</code> is stable; <code>instance</code> carries the request id.</p>
<table><thead><tr><th>Status</th><th>Name</th><th>Title</th><th>When</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></body></html>
`;
}
