import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { picturePath } from '../urls.ts';
import styles from './badge-picture.module.css';
import { joinClasses } from './join-classes.ts';

/**
 * The pauses before the further attempts to load a picture. The service draws a picture at its first request.
 * If many people request new pictures, it may refuse some for a moment.
 */
const RETRY_PAUSES_MS = [2_000, 4_000, 8_000];

interface BadgePictureProps {
  /** The `imageUrl` or `assetUrl` of a token, or the path of a picture. */
  url: string;
  /** The headline of the badge; `""` if it is next to the picture. */
  alt: string;
  /** The `nftTypeId`. The colours of a built-in design fill the frame until the picture is loaded. */
  design?: string | undefined;
  /** Whether it is a main picture of the page. Main pictures are loaded first. */
  isMain?: boolean;
  className?: string | undefined;
}

/** A square with the picture of a badge. */
export function BadgePicture({ url, alt, design, isMain = false, className }: BadgePictureProps) {
  const { t } = useTranslation();
  const path = picturePath(url);
  const { attempt, isWaiting, hasFailed, fail } = useAttempts(path);
  return (
    <div className={joinClasses(styles.frame, className)} data-design={design}>
      {hasFailed ? (
        <span className={styles.failed} role="img" aria-label={alt}>
          <span>{t('shell.pictureFailed')}</span>
        </span>
      ) : (
        <img
          // A new element loads the picture again.
          key={attempt}
          className={joinClasses(styles.picture, isWaiting && styles.waiting)}
          src={path}
          alt={alt}
          width={1000}
          height={1000}
          loading={isMain ? 'eager' : 'lazy'}
          fetchPriority={isMain ? 'high' : 'auto'}
          decoding="async"
          onError={fail}
        />
      )}
    </div>
  );
}

/**
 * Counts the attempts to load a picture, from 0 for each path. Call `fail` when an attempt has failed. Then
 * `isWaiting` is true until the next attempt. If the last attempt fails, `isWaiting` stays true.
 */
function useAttempts(path: string) {
  const [state, setState] = useState({ path, attempt: 0, isWaiting: false });
  const { attempt, isWaiting } = state.path === path ? state : { attempt: 0, isWaiting: false };
  const pauseMs = RETRY_PAUSES_MS[attempt];

  useEffect(() => {
    if (!isWaiting || pauseMs === undefined) return;
    const timer = setTimeout(() => setState({ path, attempt: attempt + 1, isWaiting: false }), pauseMs);
    return () => clearTimeout(timer);
  }, [path, attempt, isWaiting, pauseMs]);

  const fail = () => setState({ path, attempt, isWaiting: true });
  // Without a further pause, there is no further attempt.
  const hasFailed = isWaiting && pauseMs === undefined;
  return { attempt, isWaiting, hasFailed, fail };
}
