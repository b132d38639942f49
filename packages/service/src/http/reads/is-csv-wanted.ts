import type { FastifyRequest } from 'fastify';
import { createMediaTypeChooser } from '../choose-media-type.ts';

const chooseType = createMediaTypeChooser(['application/json', 'text/csv']);

/**
 * Whether a request asks a route with `hasCsv` for the whole list as CSV. Without a preference, the response
 * is JSON.
 */
export function isCsvWanted(request: FastifyRequest): boolean {
  return request.routeOptions.config.hasCsv === true && chooseType(request) === 'text/csv';
}
