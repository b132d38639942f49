import { useState } from 'react';
import { joinClasses } from '../design/join-classes.ts';
import styles from './community-logo.module.css';

/** How many tints community-logo.module.css has. */
const TINT_COUNT = 8;

interface CommunityLogoProps {
  communityId: string;
  name: string;
  /** Null while it is not known. */
  logoUrl: string | null;
  isLarge?: boolean;
}

/**
 * The logo of a community. It is the first letter of the name while the logo is unknown, if it is the
 * default one or cannot be loaded, or if it is on another origin, which the security policy of the pages
 * forbids.
 */
export function CommunityLogo({ communityId, name, logoUrl, isLarge = false }: CommunityLogoProps) {
  const path = logoUrl === null ? null : findLogoPath(logoUrl);
  const [failedPath, setFailedPath] = useState('');
  const classes = joinClasses(styles.logo, isLarge && styles.large);
  if (path !== null && failedPath !== path)
    return <img className={classes} src={path} alt="" onError={() => setFailedPath(path)} />;
  const [letter] = new Intl.Segmenter().segment(name);
  return (
    <span className={classes} data-tint={chooseTint(communityId)} aria-hidden="true">
      {letter?.segment.toLocaleUpperCase()}
    </span>
  );
}

function findLogoPath(logoUrl: string): string | null {
  const { origin, pathname, search } = new URL(logoUrl, location.origin);
  const isDefault = pathname.endsWith('/images/logo.png');
  return origin === location.origin && !isDefault ? pathname + search : null;
}

/** Derives the tint from the id, so that a community always has the same colours. */
function chooseTint(communityId: string): number {
  return Array.from(communityId).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % TINT_COUNT;
}
