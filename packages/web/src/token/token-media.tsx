import type { Token } from '@badge/sdk';
import { badge } from '../api.ts';
import { BadgePicture } from '../design/badge-picture.tsx';
import { BadgeVideo } from '../design/badge-video.tsx';
import { assetPath, isVideo } from '../urls.ts';
import { useLoaded } from '../use-loaded.ts';
import { BUILT_IN_DESIGNS } from './built-in-designs.ts';

interface TokenMediaProps {
  token: Pick<Token, 'tokenId' | 'headline' | 'imageUrl' | 'nftTypeId'>;
  className?: string | undefined;
}

/** The main picture of a page about a token, or its video if the token has one. */
export function TokenMedia({ token, className }: TokenMediaProps) {
  const videoPath = useVideoPath(token);
  const picture = (
    <BadgePicture
      url={token.imageUrl}
      alt={token.headline}
      design={token.nftTypeId}
      isMain
      className={className}
    />
  );
  if (videoPath === null) return picture;
  return (
    <BadgeVideo path={videoPath} posterUrl={token.imageUrl} label={token.headline} className={className}>
      {picture}
    </BadgeVideo>
  );
}

/** The path of the token's video, or null if it has none or while it is not known. */
function useVideoPath({ tokenId, imageUrl, nftTypeId }: TokenMediaProps['token']): string | null {
  // A token does not say whether it has a video, but its metadata does. Built-in designs have no video, and
  // the `imageUrl` of a video is its poster, a PNG. So most pages need not read the metadata.
  const mayHaveVideo = !BUILT_IN_DESIGNS.has(nftTypeId) && imageUrl.endsWith('.png');
  const metadata = useLoaded(`metadata/${mayHaveVideo ? tokenId : ''}`, async (signal) =>
    mayHaveVideo ? await badge.getTokenMetadata({ tokenId }, { signal }) : null,
  );
  const videoUrl = metadata.status === 'loaded' ? metadata.value?.animation_url : undefined;
  return videoUrl !== undefined && isVideo(videoUrl) ? assetPath(videoUrl) : null;
}
