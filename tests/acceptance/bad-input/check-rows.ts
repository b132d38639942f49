import { beforeAll, expect } from 'vitest';
import { type ApiResponse, expectWellFormedResponse } from '../client.ts';
import type { Page, Problem } from '../shapes.ts';
import { findNginxRule, isBehindNginx } from './behind-nginx.ts';
import { createFixture, type StoredFixture } from './fixture.ts';
import type { Row } from './row.ts';

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

/**
 * Splits the rows of a section. The first row for each response to a call and the first for each reason stand
 * for the rules. The others show more values of the same rules.
 */
export function splitRows(rows: Row[]): { first: Row[]; others: Row[] } {
  const seen = new Set<string>();
  const first = rows.filter((row) => {
    const rules = [`${row.call} ${row.response}`, `${row.why} ${row.response.split(' ')[1]}`];
    const isFirst = rules.some((rule) => !seen.has(rule));
    for (const rule of rules) seen.add(rule);
    return isFirst;
  });
  return { first, others: rows.filter((row) => !first.includes(row)) };
}

/**
 * Creates a fixture before the tests. Returns checks of the responses to rows, and of the data that is stored
 * after them.
 */
export function badInputChecks() {
  let fixture: StoredFixture;
  let storedBefore: unknown;

  beforeAll(async () => {
    fixture = await createFixture();
    storedBefore = await fixture.readStored();
  });

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

  async function expectUnchangedData(): Promise<void> {
    expect(await fixture.readStored()).toEqual(storedBefore);
  }

  return { expectResponse, expectUnchangedData };
}
