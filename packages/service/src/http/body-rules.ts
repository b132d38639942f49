import type { Fault } from '@badge/protocol';
import type { FastifyInstance } from 'fastify';
import { checkNoFaults } from '../domain/refusal.ts';
import { toFaults } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Finds what a schema cannot say; the route sets `attachValidation`, so that both are answered at once. */
    findBodyFaults?: (body: unknown) => Fault[];
  }
}

/** Refuses a body with the faults of its schema and of the route's own rules, all in one answer. */
export function addBodyRules(app: FastifyInstance): void {
  app.addHook('preHandler', async (request) => {
    const { findBodyFaults } = request.routeOptions.config;
    if (findBodyFaults === undefined) return;
    const schemaFaults = request.validationError === undefined ? [] : toFaults(request.validationError);
    const pointers = new Set(
      schemaFaults.map((fault) => ('pointer' in fault ? fault.pointer : fault.parameter)),
    );
    const ruleFaults = findBodyFaults(request.body).filter(
      (fault) => !('pointer' in fault && pointers.has(fault.pointer)),
    );
    checkNoFaults([...schemaFaults, ...ruleFaults]);
  });
}
