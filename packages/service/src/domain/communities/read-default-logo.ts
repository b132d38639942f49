import { renderLogo } from '../../images/render-image.ts';
import { type Picture, toDrawnPicture } from '../nft-types/to-picture.ts';

/** The logo of communities that have none of their own. */
export async function readDefaultLogo(): Promise<Picture> {
  return await toDrawnPicture(renderLogo(), { isImmutable: false });
}
