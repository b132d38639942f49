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
          'Returns the primary names of up to 100 addresses, as far as they are known. A name is looked up in the background when it is asked for the first time, if the address holds a token, is on an allowlist or is a member, and is kept for a day. Without an endpoint for ENS, every name is null.',
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
