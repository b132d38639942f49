import { beforeAll, describe, expect, test } from 'vitest';
import { operatorOnly } from '../operator.ts';
import { findNginxRule, NGINX_RULES } from './behind-nginx.ts';
import { badInputChecks, splitRows } from './check-rows.ts';
import { createFixture, type StoredFixture } from './fixture.ts';
import { toHtml, toMarkdown } from './page.ts';
import { routeNames } from './routes.ts';
import { sections } from './sections.ts';

describe.skipIf(operatorOnly.isSkipped)(`bad input${operatorOnly.titleSuffix}`, () => {
  const { expectResponse, expectUnchangedData } = badInputChecks();

  describe.each(sections)('$title', ({ rows }) => {
    test.concurrent.each(splitRows(rows).first)('$call: $case: $response', expectResponse);
  });

  test('no rejected request has changed stored data', expectUnchangedData);
});

describe.skipIf(operatorOnly.isSkipped)(`valid input${operatorOnly.titleSuffix}`, () => {
  // A fixture of its own, because valid requests change its stored data.
  let fixture: StoredFixture;
  beforeAll(async () => {
    fixture = await createFixture();
  });

  test.each(routeNames)('an unchanged %s request is accepted', async (route) => {
    expect([200, 201, 202]).toContain((await fixture.send(route, {})).status);
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
