import { Environment } from '@badge/protocol';
import type { Context } from '../context.ts';
import { readEnvironment } from '../domain/environment/read-environment.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function environmentRoutes(app: App, context: Context): void {
  app.get(
    '/environment',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readEnvironment',
        tags: ['Environment'],
        summary: 'Retrieve the environment',
        description:
          "Returns what a client needs in order to sign messages (the EIP-712 domain and types), which wallets can sign, and what becomes of mails. By default, the sandbox has chain 80001 and the contract `0x1000000000000000000000000000000000000001`, and production chain 137 and the operator's contract.",
        response: {
          200: jsonResponse('The environment with its signing domain and types.', Environment),
          ...problemResponses(),
        },
      },
    },
    () => readEnvironment(context),
  );
}
