import { expect, test } from 'vitest';
import { call, read } from './client.ts';
import { expectParameters } from './problems.ts';
import type { Page } from './shapes.ts';

const good: [string, number, number][] = [
  ['', 50, 0],
  ['limit=0', 0, 0],
  ['limit=1', 1, 0],
  ['limit=1000', 1000, 0],
  ['offset=1', 50, 1],
  ['limit=2&offset=3', 2, 3],
  ['offset=2147483648', 50, 2_147_483_648],
  ['offset=9007199254740991', 50, Number.MAX_SAFE_INTEGER],
  ['limit=&offset=', 50, 0],
  ['limit', 50, 0],
  ['unknown=1&cursor=abc&Limit=7', 50, 0],
];

const wrong: [string, string[]][] = [
  ...['1001', '-1', 'abc', '1e2', '0x10', '1.5', '1.0', '%00', '%F0%9F%8E%96', 'null', 'NaN', 'Infinity'].map(
    (value): [string, string[]] => [`limit=${value}`, ['limit']],
  ),
  ...['-1', '-0', 'abc', '1e2', '0x10', '1.5', '%00', '9007199254740992', '9'.repeat(30)].map(
    (value): [string, string[]] => [`offset=${value}`, ['offset']],
  ),
  ['limit=1&limit=2', ['limit']],
  ['offset=1&offset=1', ['offset']],
  ['limit=1001&offset=-1', ['limit', 'offset']],
];

/** The tests of limit, offset and the envelope, the same for every listing; `filterOf` ends in `&`. */
export function describeListing(
  pathOf: () => string,
  headers: Record<string, string> = {},
  filterOf: () => string = () => '',
): void {
  test.each(good)('?%s gives limit %d and offset %d', async (query, limit, offset) => {
    const page = await read<Page<unknown>>(`${pathOf()}?${filterOf()}${query}`, headers);
    expect(page).toStrictEqual({ limit, offset, data: expect.any(Array) });
    expect(page.data.length).toBeLessThanOrEqual(limit);
    if (offset > 2_000_000_000) expect(page.data).toEqual([]);
  });

  test.each(wrong)('?%s is refused', async (query, parameters) => {
    expectParameters(await call(`${pathOf()}?${filterOf()}${query}`, { headers }), parameters);
  });

  test('a trailing slash changes nothing', async () => {
    const page = await read<Page<unknown>>(`${pathOf()}/?${filterOf()}limit=1&offset=0`, headers);
    expect(page).toEqual(await read(`${pathOf()}?${filterOf()}limit=1&offset=0`, headers));
  });
}
