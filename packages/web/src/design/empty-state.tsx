import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { MedalIcon } from './icons.tsx';
import { joinClasses } from './join-classes.ts';

interface EmptyStateProps {
  title: ReactNode;
  /** Why it is empty, and what to do about it. */
  children?: ReactNode;
  actions?: ReactNode;
  /** Whether it is the whole page. Then its title is the heading of the page. */
  isPage?: boolean;
}

/** What a list without items, or a page without content, shows instead. */
export function EmptyState({ title, children, actions, isPage = false }: EmptyStateProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={joinClasses(styles.state, isPage ? styles.page : styles.list)}>
      <span className={styles.mark}>
        <MedalIcon />
      </span>
      <Heading className={styles.title}>{title}</Heading>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {actions !== undefined && actions !== false && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
