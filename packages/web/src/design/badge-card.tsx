import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './badge-card.module.css';
import { BadgePicture } from './badge-picture.tsx';

/** A list of badges, in two or four columns. Its children are `BadgeCard`s. */
export function BadgeGrid({ children }: { children: ReactNode }) {
  return <ul className={`plain-list ${styles.grid}`}>{children}</ul>;
}

interface BadgeCardProps {
  href: string;
  headline: string;
  pictureUrl: string;
  design?: string | undefined;
  /** A line below the headline. */
  detail?: ReactNode;
}

/** A badge in a `BadgeGrid`: picture, headline and one more line, linked to its page. */
export function BadgeCard({ href, headline, pictureUrl, design, detail }: BadgeCardProps) {
  return (
    <li>
      <Link href={href} className={styles.card}>
        <BadgePicture url={pictureUrl} alt="" design={design} className={styles.picture} />
        <span>
          <span className={styles.headline}>
            <bdi>{headline}</bdi>
          </span>
          {detail !== undefined && <span className={styles.detail}>{detail}</span>}
        </span>
      </Link>
    </li>
  );
}
