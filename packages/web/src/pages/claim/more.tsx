import type { ReactNode } from 'react';
import styles from './claim-panel.module.css';

interface MoreProps {
  title: string;
  isOpen?: boolean;
  children: ReactNode;
}

/** A part of a step that few people need. It is folded until its title is pressed. */
export function More({ title, isOpen = false, children }: MoreProps) {
  return (
    <details className={styles.more} open={isOpen}>
      <summary>{title}</summary>
      <div className={styles.stack}>{children}</div>
    </details>
  );
}
