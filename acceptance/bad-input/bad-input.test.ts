import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, expectWellFormedResponse } from '../client.ts';
import { operatorOnly } from '../operator.ts';
import type { Page, Problem } from '../shapes.ts';
import { findNginxRule, isBehindNginx, NGINX_RULES } from './behind-nginx.ts';
import { createFixture, type StoredFixture } from './fixture.ts';
import { toHtml, toMarkdown } from './page.ts';
import { routeNames } from './routes.ts';
import type { Row } from './row.ts';
import { sections } from './sections.ts';

let fixture: StoredFixture;
/** Valid requests use a fixture of their own, because they change its stored data. */
let validFixture: StoredFixture;
let storedBefore: unknown;

/** Describes a response in the form of `Row.response`, so that it can be compared with `expected`. */
function describeResponse({ status, text }: ApiResponse, expected: string): string {
  if (status >= 400) return describeProblem(JSON.parse(text) as Problem, expected);
  if (!expected.endsWith(' empty')) return String(status);
  const { data } = JSON.parse(text) as Page<unknown>;
  return data.length === 0 ? `${status} empty` : String(status);
}

function describeProblem({ status, name, errors = [] }: Problem, expected: string): string {
  const [, , ...expectedPlaces] = expected.split(' ');
  // A row without places accepts errors at any place.
  if (expectedPlaces.length === 0) return `${status} ${name}`;
  const places = errors.map(({ pointer, parameter }) =>
    parameter === undefined ? pointer || '(body)' : `?${parameter}`,
  );
  // The order of the places does not matter, so they are put into the order of the row.
  const inRowOrder = [...new Set(places)].sort(
    (a, b) => expectedPlaces.indexOf(a) - expectedPlaces.indexOf(b),
  );
  return [status, name, ...inRowOrder].join(' ');
}

/** Checks the headers of an error response, and that its body contains no key. */
function expectSafeError({ status, text, headers }: ApiResponse, why: string): void {
  for (const secret of [fixture.key, fixture.otherKey, fixture.operatorKey]) {
    expect(text).not.toContain(secret);
  }
  expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  // The row of a 405 has the `Allow` header as its reason.
  if (status === 405) expect(why).toBe(`\`Allow: ${headers.get('allow')}\``);
}

async function expectResponse(row: Row): Promise<void> {
  const { send, call, why } = row;
  const rule = isBehindNginx ? findNginxRule(row) : undefined;
  if (rule?.response === 'both') {
    await expect(send(fixture)).rejects.toThrow('more than one response');
    return;
  }
  const expected = rule?.response ?? row.response;
  const response = await send(fixture);
  expectWellFormedResponse(response, call);
  expect(describeResponse(response, expected), response.text).toBe(expected);
  if (response.status >= 400 && rule === undefined) expectSafeError(response, why);
}

/**
 * Splits the rows of a section. The first row for each response to a call and the first for each reason stand for the rules.
 * The others show more values of the same rules.
 */
function splitRows(rows: Row[]): { first: Row[]; others: Row[] } {
  const seen = new Set<string>();
  const first = rows.filter((row) => {
    const rules = [`${row.call} ${row.response}`, `${row.why} ${row.response.split(' ')[1]}`];
    const isFirst = rules.some((rule) => !seen.has(rule));
    for (const rule of rules) seen.add(rule);
    return isFirst;
  });
  return { first, others: rows.filter((row) => !first.includes(row)) };
}

describe.skipIf(operatorOnly.isSkipped)(`bad input${operatorOnly.titleSuffix}`, () => {
  beforeAll(async () => {
    [fixture, validFixture] = await Promise.all([createFixture(), createFixture()]);
    storedBefore = await fixture.readStored();
  });

  describe.each(sections)('$title', ({ rows }) => {
    const { first, others } = splitRows(rows);
    test.concurrent.each(first)('$call: $case: $response', expectResponse);
    test.concurrent.each(others)('$call: $case: $response', { tags: ['slow'] }, expectResponse);
  });

  test('no rejected request has changed stored data', async () => {
    expect(await fixture.readStored()).toEqual(storedBefore);
  });

  test.each(routeNames)('an unchanged %s request is accepted', async (route) => {
    expect([200, 201, 202]).toContain((await validFixture.send(route, {})).status);
  });
});

test('each case is listed once, and there are at least 2,500', () => {
  const titles = sections.flatMap(({ rows }) => rows.map((row) => `${row.call}: ${row.case}`));
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  // Pages are generated from the rows, so only this number shows that many rows were lost by mistake.
  expect(titles.length).toBeGreaterThanOrEqual(2_500);
});

test('every rule of nginx concerns a case', () => {
  const rows = sections.flatMap((section) => section.rows);
  for (const rule of NGINX_RULES) expect(rows.some((row) => findNginxRule(row) === rule)).toBe(true);
});

test('the page of the service has all cases', () => {
  const page = toHtml(sections);
  const texts = sections.flatMap(({ rows }) => rows.map(({ why }) => why));
  const shown = page
    .replaceAll(/<\/?code>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  expect(texts.filter((why) => !shown.includes(why.replaceAll('`', '')))).toEqual([]);
  expect(toMarkdown(sections).split('\n').length).toBeGreaterThan(500);
});
