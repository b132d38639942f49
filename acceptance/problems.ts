import { expect } from 'vitest';
import type { Answer } from './client.ts';
import type { Problem } from './shapes.ts';

/** Checks the status and the error name, and returns the problem object. */
export function expectProblem(answer: Answer, status: number, name: string): Problem {
  const problem = JSON.parse(answer.text || '{}') as Problem;
  expect({ status: answer.status, name: problem.name }, answer.text).toEqual({ status, name });
  return problem;
}

/** Checks for a 400 with errors at exactly these places of the body, or deeper inside them. */
export function expectPointers(answer: Answer, places: string[]): void {
  const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
  const pointers = errors.map(({ pointer = '(none)' }) => pointer);
  const isAt = (pointer: string, place: string) => pointer === place || pointer.startsWith(`${place}/`);
  const missing = places.filter((place) => !pointers.some((pointer) => isAt(pointer, place)));
  const extra = pointers.filter((pointer) => !places.some((place) => isAt(pointer, place)));
  expect({ missing, extra }, answer.text).toEqual({ missing: [], extra: [] });
}

/** Checks for a 400 with errors for exactly these parameters. */
export function expectParameters(answer: Answer, parameters: string[]): void {
  const { errors = [] } = expectProblem(answer, 400, 'InvalidRequest');
  const named = new Set(errors.map(({ parameter }) => parameter));
  expect([...named].sort(), answer.text).toEqual([...parameters].sort());
}
