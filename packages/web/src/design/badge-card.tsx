import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { isVideo } from '../urls.ts';
import styles from './badge-card.module.css';
import { BadgePicture } from './badge-picture.tsx';
import { PlayIcon } from './icons.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

/** A list of badges, in two or four columns. Its children are `BadgeCard`s. */
export function BadgeGrid({ children }: { children: ReactNode }) {
  return <ul className={`plain-list ${styles.grid}`}>{children}</ul>;
}

interface BadgeCardProps {
  href: string;
  headline: string;
  /** The `imageUrl` or `assetUrl` of the token. A video is shown as its poster, with a mark. */
  pictureUrl: string;
  design?: string | undefined;
  /** A line below the headline. */
  detail?: ReactNode;
  /** What a visitor can do with the badge, such as "Claim". */
  callToAction?: string;
}

/** A badge in a `BadgeGrid`: picture, headline and one more line, linked to its page. */
export function BadgeCard(props: BadgeCardProps) {
  const { href, headline, pictureUrl, design, detail, callToAction } = props;
  const { t } = useTranslation();
  return (
    <li>
      <Link href={href} className={styles.card}>
        <div className={styles.frame}>
          <BadgePicture url={pictureUrl} alt="" design={design} className={styles.picture} />
          {isVideo(pictureUrl) && (
            <span className={styles.videoMark}>
              <PlayIcon />
              <VisuallyHidden>{t('shell.video')}</VisuallyHidden>
            </span>
          )}
        </div>
        <span className={styles.text}>
          <span className={styles.headline} dir="auto">
            {headline}
          </span>
          {detail !== undefined && <span className={styles.detail}>{detail}</span>}
        </span>
        {callToAction !== undefined && <span className={styles.callToAction}>{callToAction}</span>}
      </Link>
    </li>
  );
}
