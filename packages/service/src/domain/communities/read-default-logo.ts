import type { Context } from '../../context.ts';
import { type Picture, toDrawnPicture } from '../nft-types/to-picture.ts';

/** The logo of communities that have none of their own. */
export async function readDefaultLogo({ images }: Pick<Context, 'images'>): Promise<Picture> {
  return await toDrawnPicture(images.renderLogo(), { isImmutable: false });
}
