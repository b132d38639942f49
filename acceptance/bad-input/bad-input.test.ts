import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, expectContract } from '../client.ts';
import { operatorOnly } from '../operator.ts';
import type { Page, Problem } from '../shapes.ts';
import { families } from './families.ts';
import { writePage } from './page.ts';
import { routeNames } from './routes.ts';
import { type SetScene, setScene } from './scene.ts';

let scene: SetScene;
let control: SetScene;
let before: unknown;

/** The answer as rows write it, with the places in the order of the expected ones. */
function describeAnswer({ status, text }: Answer, expected: string): string {
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

/** What an answer of 400 and more says beside its problem object, and never says. */
function expectRefusal({ status, text, headers }: Answer, why: string): void {
  for (const secret of [scene.key, scene.otherKey, scene.operatorKey]) expect(text).not.toContain(secret);
  expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  if (status === 405) expect(why).toBe(`\`Allow: ${headers.get('allow')}\``);
}

describe.skipIf(operatorOnly.isSkipped)(`bad input${operatorOnly.title}`, () => {
  beforeAll(async () => {
    [scene, control] = await Promise.all([setScene(), setScene()]);
    before = await scene.readStored();
  });

  describe.each(families)('$title', ({ rows }) => {
    test.concurrent.each(rows)('$call: $case: $answer', async ({ answer: expected, send, call, why }) => {
      const answer = await send(scene);
      expectContract(answer, call);
      expect(describeAnswer(answer, expected), answer.text).toBe(expected);
      if (answer.status >= 400) expectRefusal(answer, why);
    });
  });

  test('nothing of it is stored', async () => {
    expect(await scene.readStored()).toEqual(before);
  });

  test.each(routeNames)('%s is right where nothing is changed', async (route) => {
    expect([200, 201, 202]).toContain((await control.send(route, {})).status);
  });
});

test('every case is told once', () => {
  const cases = families.flatMap(({ rows }) => rows.map((row) => `${row.call}: ${row.case}`));
  expect(cases.length).toBeGreaterThanOrEqual(200);
  expect(cases.filter((one, index) => cases.indexOf(one) !== index)).toEqual([]);
});

test('docs/bad-input.md is this table; `npm run docs:bad-input` writes it', () => {
  const page = readFileSync(new URL('../../docs/bad-input.md', import.meta.url), 'utf8');
  expect(page).toBe(writePage(families));
});
