import { Environment } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readEnvironment } from '../../domain/environment/read-environment.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function environmentRoutes(app: App, context: Context): void {
  app.get(
    '/environment',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readEnvironment',
        tags: ['Environment'],
        summary: 'Read what a client needs to sign',
        response: {
          200: jsonResponse('The environment and its signing domain.', Environment),
          ...problemResponses(),
        },
      },
    },
    () => readEnvironment(context.settings),
  );
}
