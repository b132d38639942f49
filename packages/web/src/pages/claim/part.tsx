import type { ReactNode } from 'react';
import styles from './claim-panel.module.css';

interface PartProps {
  title: string;
  /** Whether the part shows only its title until a person presses it. */
  isFolded?: boolean;
  children: ReactNode;
}

/** A part of a step, with a title. */
export function Part({ title, isFolded = false, children }: PartProps) {
  if (isFolded)
    return (
      <details className={styles.foldedPart}>
        <summary>{title}</summary>
        <div className={styles.stack}>{children}</div>
      </details>
    );
  return (
    <div className={`${styles.part} ${styles.stack}`}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}
