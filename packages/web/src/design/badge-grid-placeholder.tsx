import { useTranslation } from 'react-i18next';
import gridStyles from './badge-card.module.css';
import styles from './badge-grid-placeholder.module.css';
import { VisuallyHidden } from './visually-hidden.tsx';

/**
 * Takes the place of a `BadgeGrid` with `count` badges while they are loaded, so that nothing moves
 * afterwards.
 */
export function BadgeGridPlaceholder({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <div className={gridStyles.grid}>
      <VisuallyHidden role="status">{t('shell.loading')}</VisuallyHidden>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are all the same.
        <div key={index} className={styles.badge} aria-hidden="true">
          <div className={styles.picture} />
          <div className={styles.line} />
        </div>
      ))}
    </div>
  );
}
