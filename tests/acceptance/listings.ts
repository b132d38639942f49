import { expect, test } from 'vitest';
import { read } from './client.ts';
import type { Page } from './shapes.ts';

const validQueries: [query: string, limit: number, offset: number][] = [
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

/**
 * Tests the limit, offset and response object of a listing. `filterOf` returns the beginning of
 * the query: empty, or parameters followed by `&`.
 */
export function describeListing(
  pathOf: () => string,
  headers: Record<string, string> = {},
  filterOf: () => string = () => '',
): void {
  test.each(validQueries)('?%s means limit %d and offset %d', async (query, limit, offset) => {
    const page = await read<Page<unknown>>(`${pathOf()}?${filterOf()}${query}`, headers);
    expect(page).toStrictEqual({ limit, offset, data: expect.any(Array) });
    expect(page.data.length).toBeLessThanOrEqual(limit);
    // No listing has so many items.
    if (offset > 2_000_000_000) expect(page.data).toEqual([]);
  });

  test('the path may have a trailing slash', async () => {
    const page = await read<Page<unknown>>(`${pathOf()}/?${filterOf()}limit=1&offset=0`, headers);
    expect(page).toStrictEqual({ limit: 1, offset: 0, data: expect.any(Array) });
  });
}
