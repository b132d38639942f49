import type { OpenApiValidator, ReceivedResponse } from './openapi-validator.ts';
import type { Problem } from './shapes.ts';

/** Implementation details: stack traces and files, SQL, and the errors of Node and of libraries. */
const IMPLEMENTATION_DETAILS = [
  /\n\s+at |node_modules|node:internal|\.[jt]s\b|file:\/\/|(?<![:\w])\/(home|usr|tmp|var|opt|srv)\//i,
  /\b(select|insert|update|delete)\b.+\b(from|into|set|values)\b|postgres|sqlstate|relation "|column "|constraint|violates|_[pf]?key\b/i,
  /\bE(CONN|NOENT|PIPE|ACCES|AI_)|FST_ERR|ajv|\bpg\b|kysely|fastify|busboy|undefined|\[object/i,
];

/**
 * Describes how a response violates the rules for all responses; undefined if it does not. The rules:
 * - The status is below 500. oEmbed wants 501 for a format that it does not have.
 * - There is an `X-Request-Id`.
 * - An error is a problem object without implementation details.
 * - The response to a documented request matches the document.
 */
export function findResponseViolation(
  validator: OpenApiValidator,
  { isUndocumented, ...response }: ReceivedResponse & { isUndocumented?: boolean | undefined },
): string | undefined {
  const { method, status, headers, text } = response;
  if (status >= 500 && status !== 501) return `status ${status}: ${text}`;
  if (!headers.get('x-request-id')) return 'no X-Request-Id';
  const problemViolation =
    status >= 400 && method !== 'HEAD' ? findProblemViolation(validator, response) : undefined;
  if (problemViolation !== undefined || isUndocumented) return problemViolation;
  return validator.findViolation(response);
}

function findProblemViolation(
  validator: OpenApiValidator,
  { status, headers, text }: ReceivedResponse,
): string | undefined {
  const contentType = headers.get('content-type') ?? 'nothing';
  if (contentType !== 'application/problem+json')
    return `a ${status} has content type ${contentType}: ${text}`;
  const unescaped = text.replaceAll('\\n', '\n').replaceAll('\\"', '"');
  const leak = IMPLEMENTATION_DETAILS.map((pattern) => pattern.exec(unescaped)?.[0]).find(
    (match) => match !== undefined,
  );
  if (leak !== undefined) return `"${leak}" is an implementation detail: ${text}`;
  const problem = JSON.parse(text) as Problem;
  const violation = validator.findSchemaViolation('#/components/schemas/Problem', problem, 'closed');
  if (violation !== undefined) return `not a problem object: ${violation}\n${text}`;
  if (problem.status !== status) return `a ${status} has status ${problem.status} in its body: ${text}`;
  if (problem.error !== problem.detail) return `error does not repeat detail: ${text}`;
  const mustHaveErrors = problem.name === 'InvalidRequest';
  // That of a renewal says which addresses do not have the token.
  const mayHaveErrors = mustHaveErrors || problem.name === 'TokenNotOwned';
  const hasErrors = 'errors' in problem;
  if (hasErrors ? !mayHaveErrors : mustHaveErrors) return `it has errors, or lacks them: ${text}`;
  const requestId = headers.get('x-request-id') ?? '';
  return problem.instance.includes(requestId) ? undefined : `instance has another request id: ${text}`;
}
