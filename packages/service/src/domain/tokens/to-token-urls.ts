import type { Settings } from '../../context.ts';
import { extensionOf, isVideo } from '../nft-types/rules.ts';

/**
 * Where a token's picture is: `imageUrl` is always an image, `assetUrl` is the video where the NFT type is one.
 */
export function toTokenUrls(
  { imageUrl }: Pick<Settings, 'imageUrl'>,
  token: { token_id: number; asset_content_type: string | null },
): { imageUrl: string; assetUrl: string } {
  const contentType = token.asset_content_type ?? 'image/png';
  const base = `${imageUrl}/token/${token.token_id}`;
  const assetUrl = `${base}.${extensionOf(contentType)}`;
  return { imageUrl: isVideo(contentType) ? `${base}.png` : assetUrl, assetUrl };
}
