import { ERRORS, type ErrorName } from '@badge/protocol';
import type { FastifySchema, RouteOptions } from 'fastify';
import Type from 'typebox';
import { takesIdempotencyKey } from './idempotency.ts';
import { problemResponses } from './routes/route.ts';

const IDEMPOTENCY_KEY = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]*$',
      description:
        'The same key and body again, within 24 hours, get the same answer, with `Idempotency-Replayed: true`.',
    }),
  ),
});

const RATE_LIMIT_HEADERS = {
  'Retry-After': { type: 'string', description: 'Seconds.' },
  RateLimit: { type: 'string', description: 'What is left: `"key";r=0;t=3`.' },
  'RateLimit-Policy': { type: 'string', description: 'The quota and its window: `"key";q=500;w=5`.' },
};

type Answers = Record<string, { description: string; headers?: object }>;

/** Adds to a documented route what no route says itself: the `Idempotency-Key` and the limits. */
export function addSharedAnswers(schema: FastifySchema, route: RouteOptions): FastifySchema {
  if (schema.hide) return schema;
  const answers: Answers = { ...(schema.response as Answers) };
  const isLimited = route.url.startsWith('/v1/') || route.url === '/metrics';
  if (schema.body !== undefined) answers[408] = answerOf('RequestTimeout');
  if (isLimited) answers[429] = { ...answerOf('RateLimited'), headers: RATE_LIMIT_HEADERS };
  // It needs no body, but one that is sent is read.
  if (route.method === 'DELETE') {
    Object.assign(answers, problemResponses('InvalidRequest', 'TooLarge', 'UnsupportedMediaType'));
  }
  if (!takesIdempotencyKey(route)) return { ...schema, response: answers };
  for (const name of ['IdempotencyKeyInUse', 'IdempotencyKeyReused'] as const) {
    const answer = answerOf(name);
    const { status } = ERRORS[name];
    const description = [answers[status]?.description, answer.description].filter(Boolean).join('\n\n');
    answers[status] = { ...answer, description };
  }
  return { ...schema, response: answers, headers: IDEMPOTENCY_KEY };
}

function answerOf(name: ErrorName): { description: string } {
  return problemResponses(name)[ERRORS[name].status] ?? { description: '' };
}
