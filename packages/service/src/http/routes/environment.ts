import { EIP712_TYPES, Environment } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

// A copy, since the schema's type knows no readonly lists.
const TYPES = structuredClone(EIP712_TYPES) as unknown as Environment['eip712']['types'];

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
    () => {
      const { environment, domain } = context.settings;
      return { environment, eip712: { domain, types: TYPES } };
    },
  );
}
