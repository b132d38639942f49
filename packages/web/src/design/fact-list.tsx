import type { ReactNode } from 'react';
import styles from './fact-list.module.css';

export interface Fact {
  label: string;
  value: ReactNode;
}

/** Labels with their values, such as the dates of a badge. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.list}>
      {facts.map(({ label, value }) => (
        <div key={label} className={styles.fact}>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
