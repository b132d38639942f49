import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, expectWellFormedResponse } from '../client.ts';
import { operatorOnly } from '../operator.ts';
import type { Page, Problem } from '../shapes.ts';
import { createFixture, type StoredFixture } from './fixture.ts';
import { toMarkdown } from './markdown.ts';
import { routeNames } from './routes.ts';
import { sections } from './sections.ts';

let fixture: StoredFixture;
/** Valid requests use a fixture of their own, because they change its stored data. */
let validFixture: StoredFixture;
let before: unknown;

/** Formats a response like the `response` of a row, with the places in the order of the expected ones. */
function describeResponse({ status, text }: ApiResponse, expected: string): string {
  if (status < 400) return expected.endsWith(' empty') && isEmpty(text) ? `${status} empty` : String(status);
  const { name, errors = [] } = JSON.parse(text) as Problem;
  const places = errors.map(({ pointer, parameter }) =>
    parameter === undefined ? pointer || '(body)' : `?${parameter}`,
  );
  const order = expected.split(' ');
  const named = [...new Set(places)].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return [status, name, ...(order.length > 2 ? named : [])].join(' ');
}

const isEmpty = (text: string) => (JSON.parse(text) as Page<unknown>).data.length === 0;

/** Checks the headers of an error response, and that its body contains no key. */
function expectRefusal({ status, text, headers }: ApiResponse, why: string): void {
  for (const secret of [fixture.key, fixture.otherKey, fixture.operatorKey]) {
    expect(text).not.toContain(secret);
  }
  expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  // The reason of a 405 in the table is its `Allow` header.
  if (status === 405) expect(why).toBe(`\`Allow: ${headers.get('allow')}\``);
}

describe.skipIf(operatorOnly.isSkipped)(`bad input${operatorOnly.title}`, () => {
  beforeAll(async () => {
    [fixture, validFixture] = await Promise.all([createFixture(), createFixture()]);
    before = await fixture.readStored();
  });

  describe.each(sections)('$title', ({ rows }) => {
    test.concurrent.each(rows)('$call: $case: $response', async ({ response: expected, send, call, why }) => {
      const response = await send(fixture);
      expectWellFormedResponse(response, call);
      expect(describeResponse(response, expected), response.text).toBe(expected);
      if (response.status >= 400) expectRefusal(response, why);
    });
  });

  test('no rejected request has changed stored data', async () => {
    expect(await fixture.readStored()).toEqual(before);
  });

  test.each(routeNames)('an unchanged %s request is accepted', async (route) => {
    expect([200, 201, 202]).toContain((await validFixture.send(route, {})).status);
  });
});

test('each case is listed once', () => {
  const cases = sections.flatMap(({ rows }) => rows.map((row) => `${row.call}: ${row.case}`));
  expect(cases.length).toBeGreaterThanOrEqual(1_305);
  expect(cases.filter((one, index) => cases.indexOf(one) !== index)).toEqual([]);
});

test('docs/bad-input.md is up to date; `npm run docs:bad-input` writes it', () => {
  const page = readFileSync(new URL('../../docs/bad-input.md', import.meta.url), 'utf8');
  expect(page).toBe(toMarkdown(sections));
});
