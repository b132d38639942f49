import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../version.ts';
import { addExamples } from './examples.ts';
import { addSharedDocumentation, describeWebhooks, nameSchemas } from './openapi.ts';
import { TAGS } from './tags.ts';

const DESCRIPTION = `The Badge API lets communities issue badge tokens to Ethereum wallets.

**Operations.** A creator signs a token (EIP-712). The service verifies the signature and registers the token asynchronously: it returns 202, and \`Location\` contains the path of an operation. Retrieve the operation until its status is \`success\` or \`error\`. With the parameter \`wait\`, the service waits up to 30 seconds for this status before it responds. Claims, airdrops, burns and additions to an allowlist work in the same way.

**Authentication.** Send an API key as \`Authorization: Bearer KEY\`, as \`X-API-Key: KEY\`, or as HTTP Basic with \`communityId:KEY\`. Endpoints that need no key are public.

**Errors.** Every error is a problem object (RFC 9457) with a stable \`name\`. See [all errors](/docs/errors).

**Retries.** After a timeout or a lost connection, repeat the request. A POST with the parameter \`Idempotency-Key\` accepts this header: with the same value, a repetition has no second effect. Most of them return the first response again; a repetition of \`…/claimLinks\` or \`…/apiKeys\` returns new secrets and makes the earlier ones invalid. A POST without this parameter ignores the header: it creates nothing that a repetition could create twice.`;

const API_KEY = [{ bearerKey: [] }, { headerKey: [] }, { basicKey: [] }];
// In OpenAPI, `{}` means that a request without a key is accepted too.
const SECURITY = {
  public: [],
  community: API_KEY,
  operator: API_KEY,
  session: [{ bearerKey: [] }],
  optional: [{}, ...API_KEY],
};

/** Generates the OpenAPI document from the routes that are added after this call, for openapi.json. */
export async function generateOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Badge Token Service',
        version: VERSION,
        description: DESCRIPTION,
        contact: { name: 'Badge', url: 'https://github.com/OWNER/badge' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearerKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key or the token of a session, as `Authorization: Bearer KEY`.',
          },
          headerKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'An API key.',
          },
          basicKey: {
            type: 'http',
            scheme: 'basic',
            description: 'The community id as the user name, an API key as the password.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const security = SECURITY[route.config?.access ?? 'public'];
      return { schema: { ...addSharedDocumentation(schema, { ...route, url }), security }, url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      return addExamples(nameSchemas({ ...document.openapiObject, webhooks: describeWebhooks() }));
    },
  });
}
