import { expect, test } from 'vitest';
import { ERRORS } from './errors.ts';
import { Problem } from './schemas/problem.ts';

test.each(Object.entries(ERRORS))('%s has a valid name, status, title and meaning', (name, entry) => {
  expect(name).toMatch(/^([A-Z][a-z]+)+$/);
  expect(entry.status).toBeGreaterThanOrEqual(400);
  expect(entry.status).toBeLessThan(600);
  expect(entry.title).toMatch(/^[A-Z][^.]+$/);
  expect(entry.meaning).toMatch(/^[A-Z].+\.$/s);
});

test('every error has a title of its own', () => {
  const titles = Object.values(ERRORS).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('the Problem schema allows every error name', () => {
  expect(Problem.properties.name.enum).toEqual(Object.keys(ERRORS));
});
