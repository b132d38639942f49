import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyRequest } from 'fastify';

// A parameter of a media type, such as `;charset=utf-8`. The negotiator knows only `q`.
const OTHER_PARAMETER = /;\s*(?!q=)[^;,]*/g;

/**
 * Returns a function that chooses the media type of a response by the `Accept` of the request: the first one
 * if the client has no preference, null if it accepts none of them.
 */
export function createMediaTypeChooser(types: string[]): (request: FastifyRequest) => string | null {
  const negotiator = new Negotiator({ supportedValues: types });
  return ({ headers }) =>
    negotiator.negotiate((headers.accept ?? '').toLowerCase().replaceAll(OTHER_PARAMETER, ''));
}
