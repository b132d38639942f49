import type { Token } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readTokenRow } from './read-token-row.ts';
import { toToken } from './to-token.ts';

/** Reads one token by its id in decimal. */
export async function readToken(context: Context, tokenId: string): Promise<Token> {
  return toToken(context.settings, await readTokenRow(context, tokenId));
}
