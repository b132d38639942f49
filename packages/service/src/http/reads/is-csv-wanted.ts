import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyRequest } from 'fastify';

const types = new Negotiator({ supportedValues: ['application/json', 'text/csv'] });
// A parameter of a media type, such as `;charset=utf-8`. The negotiator knows only `q`.
const OTHER_PARAMETER = /;\s*(?!q=)[^;,]*/g;

/** Whether a request asks a route with `hasCsv` for the whole list as CSV. Without a preference, the response is JSON. */
export function isCsvWanted({ headers, routeOptions: { config } }: FastifyRequest): boolean {
  if (config.hasCsv !== true) return false;
  const accepted = (headers.accept ?? '').toLowerCase().replaceAll(OTHER_PARAMETER, '');
  return types.negotiate(accepted) === 'text/csv';
}
