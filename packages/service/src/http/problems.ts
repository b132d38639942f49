import { ERRORS, type ErrorName, type Problem, type RequestError } from '@badge/protocol';

/** The problem object (RFC 9457) of an error name; status and title come from the table alone. */
export function toProblem(
  publicUrl: string,
  error: { name: ErrorName; detail: string; instance: string; errors?: RequestError[] | undefined },
): Problem {
  const { status, title } = ERRORS[error.name];
  return {
    type: `${publicUrl}/docs/errors#${error.name}`,
    title,
    status,
    detail: error.detail,
    instance: error.instance,
    name: error.name,
    error: error.detail,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}
