import type { Token } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listTokens as listTokenRows } from '../../storage/token-listings.ts';
import { toToken } from './to-token.ts';

/** Lists tokens by id, ascending unless `order` turns it. */
export async function listTokens(
  context: Context,
  page: { limit: number; offset: number; order: 'asc' | 'desc' },
): Promise<Token[]> {
  const rows = await listTokenRows(context.database, page);
  return rows.map((row) => toToken(context.settings, row));
}
