import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { picturePath } from '../urls.ts';
import styles from './badge-picture.module.css';
import { joinClasses } from './join-classes.ts';

interface BadgePictureProps {
  /** The `imageUrl` or `assetUrl` of a token, or the path of a picture. */
  url: string;
  /** The headline of the badge; `""` if it is next to the picture. */
  alt: string;
  /** The `nftTypeId`. The colours of a built-in design fill the frame until the picture is loaded. */
  design?: string | undefined;
  /** Whether it is the main picture of the page, which is loaded first. */
  isMain?: boolean;
  className?: string | undefined;
}

/** A square with the picture of a badge. */
export function BadgePicture({ url, alt, design, isMain = false, className }: BadgePictureProps) {
  const { t } = useTranslation();
  const path = picturePath(url);
  // Another path is tried again.
  const [failedPath, setFailedPath] = useState('');
  const hasFailed = failedPath === path;
  return (
    <div className={joinClasses(styles.frame, className)} data-design={design}>
      {hasFailed ? (
        <span className={styles.failed} role="img" aria-label={alt}>
          {t('shell.pictureFailed')}
        </span>
      ) : (
        <img
          className={styles.picture}
          src={path}
          alt={alt}
          width={1000}
          height={1000}
          loading={isMain ? 'eager' : 'lazy'}
          fetchPriority={isMain ? 'high' : 'auto'}
          decoding="async"
          onError={() => setFailedPath(path)}
        />
      )}
    </div>
  );
}
