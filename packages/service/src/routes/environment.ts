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
          'Returns the environment, what a client needs in order to sign messages (the EIP-712 domain and types), and what becomes of mails.',
        response: {
          200: jsonResponse('The environment with its signing domain and types.', Environment),
          ...problemResponses(),
        },
      },
    },
    () => readEnvironment(context),
  );
}
