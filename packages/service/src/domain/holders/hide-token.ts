import type { Context } from '../../context.ts';
import {
  findAddressOf,
  hideToken as hideStoredToken,
  showToken as showStoredToken,
} from '../../storage/holders.ts';
import type { SessionHolder } from '../../storage/sessions.ts';
import { TOKEN_NOT_OWNED } from '../claims/rules.ts';
import { Refusal } from '../refusal.ts';
import { checkNotReplaced, withTokenRow } from '../tokens/read-token.ts';

/** Hides a token of somebody who has signed in from pages. The API goes on listing it. */
export async function hideToken(context: Context, session: SessionHolder, tokenId: string): Promise<void> {
  await withTokenRow(context, tokenId, async (token) => {
    checkNotReplaced(token);
    const address = await findAddressOf(context.database, session, token.community_id);
    const isHeld =
      address !== undefined &&
      (await hideStoredToken(context.database, { tokenId: token.token_id, address }));
    if (!isHeld) throw new Refusal('TokenNotOwned', TOKEN_NOT_OWNED);
  });
}

/** Shows a token of somebody who has signed in again, also if it is not hidden. */
export async function showToken(context: Context, session: SessionHolder, tokenId: string): Promise<void> {
  await withTokenRow(context, tokenId, async (token) => {
    checkNotReplaced(token);
    const address = await findAddressOf(context.database, session, token.community_id);
    if (address !== undefined) {
      await showStoredToken(context.database, { tokenId: token.token_id, address });
    }
  });
}
