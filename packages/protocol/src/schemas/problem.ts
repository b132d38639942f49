import Type, { type Static } from 'typebox';
import { ERRORS, type ErrorName } from '../errors.ts';
import { TokenId } from './field-types.ts';

const Detail = Type.String({ minLength: 1, description: 'What is wrong.' });
const RequestErrorSchema = Type.Union([
  Type.Object({
    pointer: Type.String({ format: 'json-pointer', description: 'A JSON pointer (RFC 6901) into the body.' }),
    detail: Detail,
  }),
  Type.Object({
    parameter: Type.String({
      description:
        'The name of a path parameter, a query parameter or a header. If the path itself or the whole request is malformed: `path` or `request`.',
    }),
    detail: Detail,
  }),
]);

/** The body of every error (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The URL of the description of `name`.' }),
    title: Type.String({ minLength: 1, description: 'A short text for `name`.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Detail,
    instance: Type.String({
      format: 'uri-reference',
      description:
        '`urn:uuid:` and the request id, which is also in `X-Request-Id`. In an operation: the path of the operation.',
    }),
    name: Type.Enum(Object.keys(ERRORS) as ErrorName[], {
      description: 'The stable name of the error. Compare this field in your code.',
    }),
    error: Type.String({ description: 'The same text as `detail`.' }),
    errors: Type.Optional(
      Type.Array(RequestErrorSchema, {
        minItems: 1,
        maxItems: 100,
        description:
          'Every error in the request, at most 100. Always present with `InvalidRequest`. With the `TokenNotOwned` of a renewal: the addresses that do not have the token.',
      }),
    ),
    replacedByTokenId: Type.Optional({
      ...TokenId,
      description: 'With `TokenReplaced`: the token that has replaced the one of the request.',
    }),
  },
  { title: 'Problem' },
);
export type Problem = Static<typeof Problem>;
