import Type, { type Static } from 'typebox';
import { ERRORS, type ErrorName } from '../errors.ts';

const Detail = Type.String({ minLength: 1 });
const RequestErrorSchema = Type.Union([
  Type.Object({
    pointer: Type.String({ format: 'json-pointer', description: 'RFC 6901, into the body.' }),
    detail: Detail,
  }),
  Type.Object({
    parameter: Type.String({ description: 'The name of a path or query parameter, or of a header.' }),
    detail: Detail,
  }),
]);

/** The body of every error (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Address of the description of `name`.' }),
    title: Type.String({ minLength: 1 }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Detail,
    instance: Type.String({
      format: 'uri-reference',
      description: 'Carries the request id, also sent as X-Request-Id; in an operation, its path.',
    }),
    name: Type.Enum(Object.keys(ERRORS) as ErrorName[]),
    error: Type.String({ description: 'The same as `detail`.' }),
    errors: Type.Optional(
      Type.Array(RequestErrorSchema, {
        minItems: 1,
        maxItems: 100,
        description: 'Every error of the request at once; always there with `InvalidRequest`.',
      }),
    ),
  },
  { title: 'Problem' },
);
export type Problem = Static<typeof Problem>;
