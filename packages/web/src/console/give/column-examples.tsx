import styles from './columns-part.module.css';

/** What a column of a file has in its first rows. */
export function ColumnExamples({ examples }: { examples: readonly string[] }) {
  return (
    <ul className={`plain-list ${styles.examples}`}>
      {examples.map((example, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two examples can be equal.
        <li key={place}>
          <bdi>{example}</bdi>
        </li>
      ))}
    </ul>
  );
}
