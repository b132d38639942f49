import { expect } from 'vitest';
import type { ApiResponse } from './client.ts';
import type { Problem } from './shapes.ts';

/** Checks the status and the error name, and returns the problem object. */
export function expectProblem(response: ApiResponse, status: number, name: string): Problem {
  const problem = JSON.parse(response.text || '{}') as Problem;
  expect({ status: response.status, name: problem.name }, response.text).toEqual({ status, name });
  return problem;
}

/** Checks for a 400 with errors at exactly these places of the body, or deeper inside them. */
export function expectPointers(response: ApiResponse, places: string[]): void {
  const { errors = [] } = expectProblem(response, 400, 'InvalidRequest');
  const pointers = errors.map(({ pointer = '(none)' }) => pointer);
  const isAt = (pointer: string, place: string) => pointer === place || pointer.startsWith(`${place}/`);
  const missing = places.filter((place) => !pointers.some((pointer) => isAt(pointer, place)));
  const extra = pointers.filter((pointer) => !places.some((place) => isAt(pointer, place)));
  expect({ missing, extra }, response.text).toEqual({ missing: [], extra: [] });
}

/** Checks for a 400 with errors for exactly these parameters. */
export function expectParameters(response: ApiResponse, parameters: string[]): void {
  const { errors = [] } = expectProblem(response, 400, 'InvalidRequest');
  const named = new Set(errors.map(({ parameter }) => parameter));
  expect([...named].sort(), response.text).toEqual([...parameters].sort());
}
