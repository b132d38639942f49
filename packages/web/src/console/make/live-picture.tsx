import type { NftType } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import pictureStyles from '../../design/badge-picture.module.css';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useSession } from '../session/session.ts';
import styles from './make-page.module.css';

/** How long a person must not type before the picture is drawn. */
const PAUSE_MS = 250;

/** The picture that the badge will have. The service draws it, with the code that draws the final one. */
export function LivePicture({ design, headline }: { design: NftType | undefined; headline: string }) {
  const { t } = useTranslation('console');
  const isDrawn = design?.hasTextOverlay === true && headline.trim() !== '';
  const nftTypeId = design?.nftTypeId ?? '';
  const { url, hasFailed } = useDrawn(isDrawn ? nftTypeId : null, headline);
  const alt = t('make.preview.alt', { headline });
  return (
    <figure className={styles.preview}>
      {isDrawn && url !== null ? (
        <div className={joinClasses(pictureStyles.frame, styles.picture)} data-design={nftTypeId}>
          <img className={pictureStyles.picture} src={url} alt={alt} width={1000} height={1000} />
        </div>
      ) : (
        design !== undefined && (
          <BadgePicture
            url={design.previewAssetUrl}
            alt={alt}
            design={nftTypeId}
            isMain
            className={styles.picture}
          />
        )
      )}
      <figcaption className={styles.muted}>
        {hasFailed
          ? t('make.preview.failed')
          : t(design?.hasTextOverlay === false ? 'make.preview.asItIs' : 'make.preview.caption')}
      </figcaption>
    </figure>
  );
}

/** The URL of the drawn picture. While the next one is drawn, it is the one before. */
function useDrawn(nftTypeId: string | null, headline: string): { url: string | null; hasFailed: boolean } {
  const { badge, communityId } = useSession();
  const [drawn, setDrawn] = useState<{ url: string; nftTypeId: string } | null>(null);
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    if (nftTypeId === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(async () => {
      try {
        const png = await badge.getNftTypePreview({ communityId, nftTypeId, headline }, { signal });
        if (signal.aborted) return;
        setDrawn({ url: URL.createObjectURL(png), nftTypeId });
        setHasFailed(false);
      } catch {
        // The form says what is wrong with the headline. Without a picture, the badge can be made
        // nevertheless.
        if (!signal.aborted) setHasFailed(true);
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [badge, communityId, nftTypeId, headline]);

  const url = drawn?.url ?? null;
  useEffect(() => {
    if (url !== null) return () => URL.revokeObjectURL(url);
  }, [url]);

  // The picture of another design would look as if the choice had no effect.
  return { url: drawn !== null && drawn.nftTypeId === nftTypeId ? url : null, hasFailed };
}
