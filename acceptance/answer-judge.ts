import type { Judged, OpenApiJudge } from './openapi-judge.ts';
import type { Problem } from './shapes.ts';

const internals = [
  /\n\s+at |node_modules|node:internal|\.[jt]s\b|file:\/\/|(?<![:\w])\/(home|usr|tmp|var|opt|srv)\//i,
  /\b(select|insert|update|delete)\b.+\b(from|into|set|values)\b|postgres|sqlstate|relation "|column "|constraint|violates|_[pf]?key\b/i,
  /\bE(CONN|NOENT|PIPE|ACCES|AI_)|FST_ERR|ajv|\bpg\b|kysely|fastify|busboy|undefined|\[object/i,
];

/**
 * The fault of any answer, or undefined: no 5xx, an `X-Request-Id`, every error a problem object that tells nothing
 * of the inside and, unless no document announces the request, what the document says.
 */
export function findAnswerFault(
  judge: OpenApiJudge,
  { isUndocumented, ...judged }: Judged & { isUndocumented?: boolean | undefined },
): string | undefined {
  const { method, status, headers, text } = judged;
  if (status >= 500) return `a fault of the service, ${status}: ${text}`;
  if (!headers.get('x-request-id')) return 'no X-Request-Id';
  return (
    (status >= 400 && method !== 'HEAD' ? findProblemFault(judge, judged) : undefined) ??
    (isUndocumented ? undefined : judge.findFault(judged))
  );
}

function findProblemFault(judge: OpenApiJudge, { status, headers, text }: Judged): string | undefined {
  const contentType = headers.get('content-type') ?? 'nothing';
  if (contentType !== 'application/problem+json') return `a ${status} is ${contentType}: ${text}`;
  const told = text.replaceAll('\\n', '\n').replaceAll('\\"', '"');
  const leak = internals.map((pattern) => pattern.exec(told)?.[0]).find((match) => match !== undefined);
  if (leak !== undefined) return `"${leak}" tells of the inside: ${text}`;
  const problem = JSON.parse(text) as Problem;
  const fault = judge.findSchemaFault('#/components/schemas/Problem', problem, 'closed');
  if (fault !== undefined) return `no problem object: ${fault}\n${text}`;
  if (problem.status !== status) return `a ${status} says ${problem.status}: ${text}`;
  if (problem.error !== problem.detail) return `error does not repeat detail: ${text}`;
  if ((problem.name === 'InvalidRequest') !== 'errors' in problem) return `errors or no errors: ${text}`;
  const requestId = headers.get('x-request-id') ?? '';
  return problem.instance.includes(requestId) ? undefined : `instance has another request id: ${text}`;
}
