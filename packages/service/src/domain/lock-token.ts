import type { DatabaseTransaction } from '../context.ts';
import { lockToken } from '../storage/token-locks.ts';
import { tokenReplaced } from './tokens/read-token.ts';

/**
 * Locks a token until the end of the transaction: nobody else can claim it, change its allowlist or replace
 * it. Throws if another token has replaced it.
 */
export async function lockWritableToken(tx: DatabaseTransaction, tokenId: number): Promise<void> {
  const replacedBy = await lockToken(tx, tokenId);
  if (replacedBy !== null) throw tokenReplaced(replacedBy);
}
