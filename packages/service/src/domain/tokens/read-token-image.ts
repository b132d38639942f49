import type { Context } from '../../context.ts';
import { renderDesign } from '../../images/render-design.ts';
import { readTokenRow } from './read-token-row.ts';

/** The PNG that stands for a token: the design of its NFT type. */
export async function readTokenImage(context: Context, tokenId: string): Promise<Buffer> {
  const row = await readTokenRow(context, tokenId);
  return await renderDesign(row.nft_type_id);
}
