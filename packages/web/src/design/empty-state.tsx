import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { MedalIcon } from './icons.tsx';

interface EmptyStateProps {
  title: ReactNode;
  /** Why it is empty, and what to do about it. */
  children?: ReactNode;
  actions?: ReactNode;
}

/** What a list shows instead of its items when it has none. */
export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      <span className={styles.mark}>
        <MedalIcon />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
