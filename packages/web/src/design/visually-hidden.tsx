import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

/** Text that only screen readers read. With a role, they announce it when it changes. */
export function VisuallyHidden({ children, role }: { children: ReactNode; role?: 'status' | 'alert' }) {
  return (
    <span className={styles.hidden} role={role}>
      {children}
    </span>
  );
}
