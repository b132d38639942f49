import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { picturePath } from '../urls.ts';
import styles from './badge-picture.module.css';
import { joinClasses } from './join-classes.ts';

interface BadgeVideoProps {
  path: string;
  /** The picture that is shown before the video starts. */
  posterUrl: string;
  label: string;
  className?: string | undefined;
  /** What is shown if the video cannot be played. */
  children: ReactNode;
}

const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * A square with the video of a badge. It starts by itself, without sound, unless the visitor prefers reduced
 * motion.
 */
export function BadgeVideo({ path, posterUrl, label, className, children }: BadgeVideoProps) {
  // Whether the video waits until the visitor starts it.
  const isStill = useSyncExternalStore(subscribeToMotion, () => prefersReducedMotion.matches);
  const [failedPath, setFailedPath] = useState('');
  if (failedPath === path) return children;
  return (
    <div className={joinClasses(styles.frame, className)}>
      <video
        // `autoPlay` has an effect only when a video is loaded, so a change needs a new element.
        key={String(isStill)}
        className={styles.picture}
        src={path}
        poster={picturePath(posterUrl)}
        aria-label={label}
        controls
        muted
        loop
        playsInline
        autoPlay={!isStill}
        preload={isStill ? 'none' : 'auto'}
        onError={() => setFailedPath(path)}
      />
    </div>
  );
}

function subscribeToMotion(listener: () => void): () => void {
  prefersReducedMotion.addEventListener('change', listener);
  return () => prefersReducedMotion.removeEventListener('change', listener);
}
