import { EnsNames, ReadEnsNamesBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { readEnsNames } from '../domain/ens-names/read-ens-names.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function ensNameRoutes(app: App, context: Context): void {
  app.post(
    '/ensNames',
    {
      config: { access: 'public', idempotency: 'ignore' },
      schema: {
        operationId: 'readEnsNames',
        tags: ['Wallets'],
        summary: 'Retrieve the ENS names of addresses',
        description:
          'Returns the primary ENS name of each address: the name that it claims and that leads back to it. It is null if there is none, if it is not known yet, or if the service does not resolve names. A request never waits for an endpoint: a name is looked up in the background after it was first asked for, if the address holds a token, is on an allowlist or is a member, and is kept for a day. A name only shows who an address may be: compare addresses, not names.',
        body: ReadEnsNamesBody,
        response: {
          200: jsonResponse('The names.', EnsNames),
          ...problemResponses('InvalidRequest', 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return { items: await readEnsNames(context, request.body.addresses) };
    },
  );
}
