import type { ReactNode } from 'react';
import styles from './claim-panel.module.css';

interface MoreProps {
  title: string;
  children: ReactNode;
}

/** A part of a step that few people need. It is folded until its title is pressed. */
export function More({ title, children }: MoreProps) {
  return (
    <details className={styles.more}>
      <summary>{title}</summary>
      <div className={styles.stack}>{children}</div>
    </details>
  );
}
