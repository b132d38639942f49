import { type ErrorName, Operation, OperationQuery } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { isFinal, readOperation } from '../domain/operations/read-operation.ts';
import { waitOf } from '../http/client-signal.ts';
import { toProblem } from '../http/errors.ts';
import { stateOf } from '../http/request-state.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function operationRoutes(app: App, context: Context): void {
  app.get(
    '/operations/:operationId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readOperation',
        tags: ['Operations'],
        summary: 'Retrieve an operation',
        description:
          'Returns what has become of an accepted request. Use `wait` to wait for the result. While the operation is not final, the response has `Retry-After: 1` and `Cache-Control: no-store`.',
        params: Type.Object({ operationId: Type.String({ description: 'The id of the operation.' }) }),
        querystring: OperationQuery,
        response: {
          200: jsonResponse('The operation.', Operation),
          ...problemResponses('InvalidRequest', 'OperationNotFound'),
        },
      },
    },
    async (request, reply) => {
      const { operationId } = request.params;
      const { wait: waitSeconds = 0 } = request.query;
      const { error, ...operation } = await readOperation(context, operationId, waitOf(reply, waitSeconds));
      if (!isFinal(operation.status)) reply.header('Retry-After', '1').header('Cache-Control', 'no-store');
      if (error !== null) stateOf(request).operationErrorName = error.name as ErrorName;
      const instance = `/v1/operations/${operation.operationId}`;
      return {
        ...operation,
        error:
          error === null
            ? null
            : toProblem(context.settings, {
                name: error.name as ErrorName,
                detail: error.detail,
                instance,
              }),
      };
    },
  );
}
