import { BUILT_IN_DESIGNS } from '../../images/designs.ts';
import { renderDesign } from '../../images/render-design.ts';
import { Refusal } from '../refusal.ts';

/** The PNG that shows an NFT type. */
export async function readNftTypePreview(nftTypeId: string): Promise<Buffer> {
  if (!BUILT_IN_DESIGNS.some((design) => design.id === nftTypeId)) {
    throw new Refusal('NftTypeNotFound', `There is no NFT type ${nftTypeId}.`);
  }
  return await renderDesign(nftTypeId);
}
