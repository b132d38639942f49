import Type, { type Static } from 'typebox';
import { ERRORS, type ErrorName } from '../errors.ts';

const FaultSchema = Type.Object({
  pointer: Type.Optional(Type.String({ description: 'RFC 6901, into the body.' })),
  parameter: Type.Optional(Type.String({ description: 'The name of a path or query parameter.' })),
  detail: Type.String(),
});

/** The body of every error (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Address of the description of `name`.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'Carries the request id, also sent as X-Request-Id.' }),
    name: Type.Enum(Object.keys(ERRORS) as ErrorName[]),
    error: Type.String({ description: 'The same as `detail`.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'Every fault of the request at once.' })),
  },
  { title: 'Problem' },
);
export type Problem = Static<typeof Problem>;
