import { useTranslation } from 'react-i18next';
import styles from './spinner.module.css';

/** A rotating circle, for a place that says in words what is happening. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />;
}

/** What a page shows while it loads. Screen readers announce the text. */
export function LoadingBlock() {
  const { t } = useTranslation();
  return (
    <div className={styles.block} role="status">
      <Spinner />
      <span>{t('shell.loading')}</span>
    </div>
  );
}
