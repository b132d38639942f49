import type { RequestError } from '@badge/protocol';
import type { FastifyInstance } from 'fastify';
import { checkNoErrors } from '../domain/refusal.ts';
import { toRequestErrors } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Finds what a schema cannot say; the route sets `attachValidation`, so that both are answered at once. */
    findBodyErrors?: (body: unknown) => RequestError[];
  }
}

/** Refuses a body with the errors of its schema and of the route's own rules, all in one answer. */
export function addBodyRules(app: FastifyInstance): void {
  app.addHook('preHandler', async (request) => {
    const { findBodyErrors } = request.routeOptions.config;
    if (findBodyErrors === undefined) return;
    const schemaErrors =
      request.validationError === undefined ? [] : toRequestErrors(request.validationError);
    const pointers = new Set(
      schemaErrors.map((error) => ('pointer' in error ? error.pointer : error.parameter)),
    );
    const ruleErrors = findBodyErrors(request.body).filter(
      (error) => !('pointer' in error && pointers.has(error.pointer)),
    );
    checkNoErrors([...schemaErrors, ...ruleErrors]);
  });
}
