import { expect } from 'vitest';
import type { Answer } from './client.ts';
import type { Fault, Problem } from './shapes.ts';

const internals =
  /\n\s+at |node_modules|node:internal|\.ts\b|\b(select|insert|update|delete)\b.+\b(from|into|set|values)\b|postgres|sqlstate|relation "|constraint|violates|\bpg\b|kysely|fastify|busboy|ECONN|FST_ERR|ajv/i;

function expectFaultShape(fault: Fault): void {
  const place = 'pointer' in fault ? 'pointer' : 'parameter';
  expect(Object.keys(fault).sort()).toEqual(['detail', place]);
  expect(fault).toEqual({ [place]: expect.any(String), detail: expect.stringMatching(/./) });
  if (place === 'pointer') expect(fault.pointer).toMatch(/^(\/([^~/]|~[01])*)*$/);
}

/** Every answer of 400 and more is a problem object of contract 6, and tells nothing of the inside. */
export function expectProblemShape(answer: Answer, title: string): void {
  expect(answer.headers.get('content-type'), title).toMatch(/^application\/problem\+json\b/);
  expect(answer.text, title).not.toMatch(internals);
  const problem = JSON.parse(answer.text) as Problem;
  const { errors, ...rest } = problem;
  expect(rest, title).toStrictEqual({
    type: expect.stringMatching(/./),
    title: expect.stringMatching(/./),
    status: answer.status,
    detail: expect.stringMatching(/./),
    instance: expect.stringContaining(answer.headers.get('x-request-id') ?? 'no X-Request-Id'),
    name: expect.stringMatching(/^([A-Z][a-z0-9]+)+$/),
    error: problem.detail,
  });
  if (errors === undefined) {
    expect(problem.name, `${title}: errors`).not.toBe('InvalidRequest');
  } else {
    expect(errors.length, title).toBeGreaterThan(0);
    errors.forEach(expectFaultShape);
  }
}

export function expectProblem(answer: Answer, status: number, name: string): Problem {
  const problem = JSON.parse(answer.text || '{}') as Problem;
  expect({ status: answer.status, name: problem.name }, answer.text).toEqual({ status, name });
  return problem;
}

/** A 400 that names exactly these places of the body; a fault may sit deeper than the place. */
export function expectPointers(answer: Answer, places: string[]): void {
  const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
  const pointers = errors.map(({ pointer = '(none)' }) => pointer);
  const isAt = (pointer: string, place: string) => pointer === place || pointer.startsWith(`${place}/`);
  const unnamed = places.filter((place) => !pointers.some((pointer) => isAt(pointer, place)));
  const extra = pointers.filter((pointer) => !places.some((place) => isAt(pointer, place)));
  expect({ unnamed, extra }, answer.text).toEqual({ unnamed: [], extra: [] });
}

/** A 400 that names exactly these query parameters. */
export function expectParameters(answer: Answer, parameters: string[]): void {
  const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
  const named = new Set(errors.map(({ parameter }) => parameter));
  expect([...named].sort(), answer.text).toEqual([...parameters].sort());
}
