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

test('no two names share a title', () => {
  const titles = Object.values(ERRORS).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('the schema of a problem lists every name', () => {
  expect(Problem.properties.name.enum).toEqual(Object.keys(ERRORS));
});
